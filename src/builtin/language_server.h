// One language server: its program, the documents it has open, and what it is asked. The documents
// are those on disk: what changed there is told to it before it is asked. language_servers.h has
// one per language. On one loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/bell.h"
#include "builtin/languages.h"
#include "builtin/lsp_values.h"
#include "builtin/sandbox.h"
#include "builtin/workspace.h"
#include "net/child_pipes.h"
#include "net/child_process.h"
#include "net/rpc_peer.h"

namespace toolgate {

struct LanguageServerOptions {
  Language language;
  ChildCommand command;
  std::optional<SandboxSettings> sandbox = {};  // nothing: it runs as we do
  json::value initialization = {};
  std::shared_ptr<const Workspace> workspace;
  std::chrono::milliseconds request_time{60'000};
};

class LanguageServer {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMostOpen = 64;
  static constexpr std::size_t kMostDocumentBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMostDiagnostics = 1'000;  // of one document
  static constexpr std::size_t kMostLocations = 10'000;
  static constexpr std::size_t kMostSymbols = 1'000;
  static constexpr std::size_t kMostOutline = 20'000;  // of one document

  explicit LanguageServer(LanguageServerOptions options);

  // Its whole life, to be run once. When this has ended nothing of the program is left.
  Task<> run();
  // Ends it: politely first, so that it may take a second.
  void end();

  const Language& language() const { return options_.language; }
  const std::vector<std::string>& command() const { return options_.command.arguments; }
  const std::optional<SandboxSettings>& sandbox() const { return options_.sandbox; }
  const Workspace& workspace() const { return *options_.workspace; }
  bool is_ready() const { return state_ == State::Ready && !stop_.requested(); }
  bool is_ending() const { return stop_.requested(); }  // because end() was called
  bool has_ended() const { return state_ == State::Ended; }
  const std::string& ending() const { return ending_; }
  // Nobody waits for it.
  bool is_idle() const { return busy_ == 0; }
  std::chrono::steady_clock::time_point last_used() const { return last_used_; }

  Task<Result<void>> wait_until_ready(const Cancel& cancel);
  // Whether it has ended by then.
  Task<bool> wait_for_end(std::chrono::milliseconds limit);

  // All paths are absolute. Those of the last use come first.
  std::vector<std::string> open_paths() const;
  // Tells it about the file as it is now on disk.
  Task<Result<void>> open(std::string path, const Cancel& cancel);
  // Tells it about everything that is open and has changed on disk.
  Task<Result<void>> refresh(const Cancel& cancel);
  // Until it has worked on what is open, as far as it says so.
  Task<Result<void>> settle(const Cancel& cancel);

  // With all files as they were on disk at `since` or later.
  Task<Result<std::vector<LspDiagnostic>>> diagnose(std::string path, Clock::time_point since,
                                                    const Cancel& cancel);
  // `method` is one of textDocument/definition, …/references, …/implementation. The document is
  // open. What the server cannot do is nothing found.
  Task<Result<std::vector<LspLocation>>> locate(std::string method, std::string path,
                                                LspPosition position, const Cancel& cancel);
  Task<Result<std::vector<LspSymbol>>> find_symbols(std::string query, const Cancel& cancel);
  // What an open document declares. Nothing if the server cannot say so.
  Task<Result<std::vector<LspSymbol>>> outline(std::string path, const Cancel& cancel);
  // A WorkspaceEdit.
  Task<Result<json::value>> rename(std::string path, LspPosition position, std::string new_name,
                                   const Cancel& cancel);

 private:
  enum class State : std::uint8_t { Starting, Ready, Ended };

  // Of a file on disk, enough to see that it changed.
  struct FileFacts {
    std::uint64_t size = 0;
    std::int64_t modified = 0;  // nanoseconds
    std::uint64_t inode = 0;
    bool operator==(const FileFacts&) const = default;
  };
  // What it was told of a document, and when.
  struct Telling {
    std::int64_t version = 0;
    std::uint64_t reports_before = 0;  // how many there were then
    Clock::time_point time;
  };
  struct Document {
    Telling told;       // the last time
    Telling told_text;  // when it was first told the text that it has now
    FileFacts facts;
    std::size_t hash = 0;
    std::uint64_t used = 0;
  };
  struct DiskFile {
    FileFacts facts;
    std::string text;
  };
  struct Published {
    std::optional<std::int64_t> version;
    std::uint64_t count = 0;  // how often
    std::vector<LspDiagnostic> diagnostics;
  };
  class Use;
  class Turn;

  static Result<DiskFile> read_document(const Workspace& workspace, const std::string& path);
  static FileFacts facts_of(const struct stat& facts);

  Task<> live();
  Task<Result<std::unique_ptr<ChildPipes>>> start();
  Task<> run_program();
  Task<> attend();
  Task<Result<void>> initialize();
  void read_capabilities(const json::value& answer);
  json::value make_initialize_params() const;
  Result<json::value> answer_request(const std::string& method, const json::value& params) const;
  void take_notification(const std::string& method, const json::value& params);
  Task<Result<json::value>> call(std::string method, json::value params, const Cancel& cancel);

  Task<Result<void>> synchronize(const std::string& path, Clock::time_point since,
                                 Clock::time_point noticed, const Cancel& cancel);
  void tell(const std::string& path, bool is_new, const Document& document,
            const std::string& text);
  void tell_opened(const std::string& path, const Document& document, const std::string& text);
  void tell_changed(const std::string& path, const Document& document, const std::string& text);
  void tell_closed(const std::string& path);
  void close(const std::string& path);
  void close_oldest();
  bool has_reported(const std::string& path) const;
  bool has_reported(const std::string& path, const Telling& telling) const;
  bool has_reported_this_text(const std::string& path) const;
  Task<Result<void>> wait_for_report(const std::string& path, Clock::duration time,
                                     const Cancel& cancel);
  Task<Result<std::vector<LspDiagnostic>>> ask_tsserver(const std::string& path,
                                                        const Cancel& cancel);
  Task<Result<std::vector<LspDiagnostic>>> pull_diagnostics(const std::string& path,
                                                            const Cancel& cancel);
  Task<Result<std::optional<LspLocation>>> definition_at(const std::string& path,
                                                         LspPosition position,
                                                         const Cancel& cancel);
  Task<Result<void>> take_turn(const Cancel& cancel);
  std::string name() const;

  const LanguageServerOptions options_;
  State state_ = State::Starting;
  std::string ending_;
  std::unique_ptr<RpcPeer> peer_;
  bool pulls_diagnostics_ = false;
  bool has_tsserver_ = false;
  bool is_clangd_ = false;
  bool wants_saves_ = false;
  bool can_find_implementations_ = false;
  bool can_find_symbols_ = false;
  bool can_outline_ = false;
  bool can_rename_ = false;
  int timeouts_ = 0;  // in a row
  std::map<std::string, Document> documents_;
  std::map<std::string, Published> published_;                // of open documents
  Clock::time_point last_change_ = Clock::time_point::min();  // on disk, of an open document
  std::uint64_t uses_ = 0;
  std::int64_t last_version_ = 0;  // of all documents: one that is opened again has another
  int busy_ = 0;
  Clock::time_point last_used_ = Clock::now();
  bool is_synchronizing_ = false;
  CancelSource stop_;  // requested when it is to end
  Bell bell_;          // rings when any of the above changed
};

}  // namespace toolgate
