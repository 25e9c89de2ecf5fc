#include "builtin/language_server.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "async/offload.h"
#include "base/log.h"
#include "base/utf8.h"
#include "builtin/file_bytes.h"
#include "builtin/sandboxed_reader.h"
#include "invoke/real_path.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;

// Questions are answered behind what was told before them: this is only for better answers.
constexpr std::chrono::seconds kSettleTime{3};
constexpr std::chrono::seconds kPatience{5};  // with one that may have nothing new to report
constexpr auto kPoliteTime = 500ms;           // for each of the steps of an ending
constexpr int kMostTimeouts = 2;
constexpr std::size_t kMostConfigurationItems = 100;
constexpr std::string_view kTsserverCommand = "typescript.tsserverRequest";

std::unexpected<Error> cancelled() {
  return fail(Errc::Cancelled, "the request was cancelled");
}

bool is_able(const json::value& capabilities, std::string_view name) {
  const json::value* value = find(capabilities, name);
  return value && (value->is_object() || (value->is_bool() && value->get_bool()));
}

bool has_command(const json::value& capabilities, std::string_view wanted) {
  const json::value* provider = find(capabilities, "executeCommandProvider");
  const json::value* commands = provider ? find(*provider, "commands") : nullptr;
  const auto* list = commands ? commands->if_array() : nullptr;
  return list && std::ranges::any_of(*list, [&](const json::value& each) {
           return each.is_string() && each.get_string() == wanted;
         });
}

bool is_clangd(const json::value& answer) {
  const json::value* server = find(answer, "serverInfo");
  const json::value* name = server ? find(*server, "name") : nullptr;
  return name && name->is_string() && name->get_string() == "clangd";
}

json::object document_of(std::string_view path) {
  return {{"uri", uri_of_path(path)}};
}

}  // namespace

// Counts who waits for it.
class LanguageServer::Use {
 public:
  explicit Use(LanguageServer& server) : server_(server) { ++server_.busy_; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() {
    --server_.busy_;
    server_.last_used_ = Clock::now();
  }

 private:
  LanguageServer& server_;
};

// Ends what take_turn() began, however we leave.
class LanguageServer::Turn {
 public:
  explicit Turn(LanguageServer& server) : server_(server) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    server_.is_synchronizing_ = false;
    server_.bell_.ring();
  }

 private:
  LanguageServer& server_;
};

LanguageServer::LanguageServer(LanguageServerOptions options) : options_(std::move(options)) {}

std::string LanguageServer::name() const {
  const std::string& program = options_.command.arguments.front();
  return program.substr(program.rfind('/') + 1);
}

Task<> LanguageServer::run() {
  co_await live();
  state_ = State::Ended;
  log(LogLevel::Debug, "the language server {} {}", name(), ending_);
  bell_.ring();
}

void LanguageServer::end() {
  stop_.request(CancelReason::Shutdown);
  bell_.ring();
}

Task<Result<std::unique_ptr<ChildPipes>>> LanguageServer::start() {
  if (!options_.sandbox) co_return co_await ChildPipes::start(options_.command, stop_);
  auto command = co_await offload(
      [this]() -> Result<ChildCommand> {
        return make_sandboxed_reader(options_.command, *options_.sandbox, *options_.workspace);
      },
      stop_);
  if (!command) co_return std::unexpected(std::move(command.error()));
  co_return co_await ChildPipes::start(std::move(*command), stop_);
}

Task<> LanguageServer::live() {
  using namespace boost::asio::experimental::awaitable_operators;
  auto pipes = co_await start();
  if (!pipes) {
    ending_ = "could not be started: " + pipes.error().message;
    co_return;
  }
  RpcHandlers handlers;
  handlers.request = [this](const std::string& method, const json::value& params) {
    return answer_request(method, params);
  };
  handlers.notification = [this](const std::string& method, const json::value& params) {
    take_notification(method, params);
  };
  peer_ = std::make_unique<RpcPeer>(std::move(*pipes), std::move(handlers));
  co_await (run_program() && attend());
  if (ending_.empty()) ending_ = peer_->ending();
}

Task<> LanguageServer::run_program() {
  co_await peer_->run();
  bell_.ring();
}

// From its first message to its last.
Task<> LanguageServer::attend() {
  if (auto ready = co_await initialize(); !ready) {
    if (!peer_->has_ended()) ending_ = "did not get ready: " + ready.error().message;
    peer_->end(0ms);
    co_return;
  }
  state_ = State::Ready;
  bell_.ring();
  while (!stop_.requested() && !peer_->has_ended()) co_await bell_.wait();
  if (peer_->has_ended()) co_return;
  const CancelSource never;
  co_await peer_->call("shutdown", nullptr, kPoliteTime, never);
  peer_->notify("exit", nullptr);
  const auto latest = Clock::now() + kPoliteTime;
  while (!peer_->has_ended() && Clock::now() < latest) co_await bell_.wait(latest);
  peer_->end(kPoliteTime);
}

Task<Result<void>> LanguageServer::initialize() {
  auto answer =
      co_await peer_->call("initialize", make_initialize_params(), options_.request_time, stop_);
  if (!answer) co_return std::unexpected(answer.error());
  read_capabilities(*answer);
  peer_->notify("initialized", json::object());
  co_return Result<void>();
}

json::value LanguageServer::make_initialize_params() const {
  json::array folders;
  for (const std::string& root : options_.workspace->roots())
    folders.push_back(
        json::object{{"uri", uri_of_path(find_real_path(root).path)}, {"name", root}});
  json::object text_document{
      {"publishDiagnostics", {{"versionSupport", true}}},
      {"diagnostic", json::object()},
      {"synchronization", {{"didSave", true}}},
      {"definition", {{"linkSupport", true}}},
      {"references", json::object()},
      {"implementation", {{"linkSupport", true}}},
      {"rename", json::object()},
      {"documentSymbol", {{"hierarchicalDocumentSymbolSupport", true}}},
  };
  json::object workspace{
      {"configuration", true},
      {"workspaceFolders", true},
      {"symbol", json::object()},
      {"executeCommand", json::object()},
      {"workspaceEdit", {{"documentChanges", true}}},
  };
  return json::object{
      // It may run where our number means nothing; the end of its input tells it that we have gone.
      {"processId", nullptr},
      {"clientInfo", {{"name", "toolgate"}}},
      {"rootUri", folders.front().at("uri")},
      {"workspaceFolders", std::move(folders)},
      {"capabilities",
       {{"general", {{"positionEncodings", {"utf-16"}}}},
        {"textDocument", std::move(text_document)},
        {"workspace", std::move(workspace)},
        {"window", {{"workDoneProgress", true}}}}},
      {"initializationOptions", options_.initialization},
  };
}

void LanguageServer::read_capabilities(const json::value& answer) {
  is_clangd_ = is_clangd(answer);
  const json::value* capabilities = find(answer, "capabilities");
  if (!capabilities) return;
  pulls_diagnostics_ = is_able(*capabilities, "diagnosticProvider");
  has_tsserver_ = has_command(*capabilities, kTsserverCommand);
  can_find_implementations_ = is_able(*capabilities, "implementationProvider");
  can_find_symbols_ = is_able(*capabilities, "workspaceSymbolProvider");
  can_outline_ = is_able(*capabilities, "documentSymbolProvider");
  can_rename_ = is_able(*capabilities, "renameProvider");
  // clangd would look at every open document once more, beside those that are opened again.
  if (const json::value* sync = find(*capabilities, "textDocumentSync"); sync && !is_clangd_)
    wants_saves_ = is_able(*sync, "save");
}

Result<json::value> LanguageServer::answer_request(const std::string& method,
                                                   const json::value& params) const {
  if (method == "workspace/configuration") {
    const json::value* items = find(params, "items");
    const std::size_t count = items && items->is_array() ? items->get_array().size() : 0;
    return json::array(std::min(count, kMostConfigurationItems), nullptr);
  }
  if (method == "workspace/applyEdit") return json::object{{"applied", false}};
  if (method == "window/workDoneProgress/create" || method == "client/registerCapability" ||
      method == "client/unregisterCapability" || method == "window/showMessageRequest" ||
      method == "workspace/workspaceFolders" || method.ends_with("/refresh"))
    return nullptr;
  return fail(Errc::NotFound, "this client does not answer {}", first_characters(method, 100));
}

void LanguageServer::take_notification(const std::string& method, const json::value& params) {
  if (method != "textDocument/publishDiagnostics") return;
  const json::value* uri = find(params, "uri");
  const json::value* list = find(params, "diagnostics");
  const auto path =
      uri && uri->is_string() ? path_of_uri(std::string_view(uri->get_string())) : std::nullopt;
  if (!path || !list || !list->is_array() || !documents_.contains(*path)) return;
  const json::value* given = find(params, "version");
  const auto version =
      given && given->is_int64() ? std::optional(given->get_int64()) : std::nullopt;
  if (is_clangd_ && !version) return;  // the document was closed, and may be open again
  Published& published = published_[*path];
  published.version = version;
  ++published.count;
  published.diagnostics = read_diagnostics(*list, kMostDiagnostics);
  bell_.ring();
}

Task<Result<void>> LanguageServer::wait_until_ready(const Cancel& cancel) {
  const CancelHook hook(cancel, [this](CancelReason) { bell_.ring(); });
  while (state_ == State::Starting && !cancel.requested()) co_await bell_.wait();
  if (state_ == State::Ready) co_return Result<void>();
  if (state_ == State::Ended)
    co_return fail(Errc::UpstreamBroken, "the language server {} {}", name(), ending_);
  co_return cancelled();
}

Task<bool> LanguageServer::wait_for_end(std::chrono::milliseconds limit) {
  const auto latest = Clock::now() + limit;
  while (peer_ && peer_->has_ended() && !has_ended() && Clock::now() < latest)
    co_await bell_.wait(latest);
  co_return has_ended();
}

// One that does not answer twice in a row will not the third time: it is ended, and the next call
// starts another.
Task<Result<json::value>> LanguageServer::call(std::string method, json::value params,
                                               const Cancel& cancel) {
  const Use use(*this);
  auto answer =
      co_await peer_->call(std::move(method), std::move(params), options_.request_time, cancel);
  if (answer) {
    timeouts_ = 0;
    co_return answer;
  }
  Error& error = answer.error();
  if (error.code == Errc::UpstreamTimeout && ++timeouts_ >= kMostTimeouts) peer_->end(0ms);
  if (error.code == Errc::UpstreamTimeout)
    error.message += " (toolgate.languageServer.answerSeconds)";
  if (error.code != Errc::Cancelled)
    error.message = fmt::format(
        "the language server {} {}", name(),
        error.code == Errc::UpstreamBroken ? error.message : "could not do it: " + error.message);
  co_return answer;
}

std::vector<std::string> LanguageServer::open_paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, document] : documents_) paths.push_back(path);
  std::ranges::sort(paths, std::greater(),
                    [this](const std::string& path) { return documents_.at(path).used; });
  return paths;
}

Result<LanguageServer::DiskFile> LanguageServer::read_document(const Workspace& workspace,
                                                               const std::string& path) {
  auto file = workspace.open_file(path);
  if (!file) return std::unexpected(file.error());
  const std::string shown = visible_text(workspace.shown(path), false);
  if (static_cast<std::size_t>(file->facts.st_size) > kMostDocumentBytes)
    return fail(Errc::TooLarge,
                "{} is too long for a language server: {} bytes, where {} are the most", shown,
                file->facts.st_size, kMostDocumentBytes);
  auto text = read_whole_file(file->descriptor.get(), kMostDocumentBytes, shown);
  if (!text) return std::unexpected(text.error());
  return DiskFile{facts_of(file->facts),
                  is_valid_utf8(*text) ? std::move(*text) : mend_utf8(*text)};
}

LanguageServer::FileFacts LanguageServer::facts_of(const struct stat& facts) {
  return {.size = static_cast<std::uint64_t>(facts.st_size),
          .modified = facts.st_mtim.tv_sec * 1'000'000'000LL + facts.st_mtim.tv_nsec,
          .inode = facts.st_ino};
}

// One at a time tells it about documents, or an old text could come behind a new one.
Task<Result<void>> LanguageServer::take_turn(const Cancel& cancel) {
  const CancelHook hook(cancel, [this](CancelReason) { bell_.ring(); });
  while (is_synchronizing_ && !cancel.requested()) co_await bell_.wait();
  if (cancel.requested()) co_return cancelled();
  is_synchronizing_ = true;
  co_return Result<void>();
}

// Tells it about the file unless it has this text and was told so at `since` or later. `noticed` is
// when we began to look at what is on disk.
Task<Result<void>> LanguageServer::synchronize(const std::string& path, Clock::time_point since,
                                               Clock::time_point noticed, const Cancel& cancel) {
  if (auto taken = co_await take_turn(cancel); !taken) co_return taken;
  const Turn turn(*this);
  auto file = co_await offload([&] { return read_document(*options_.workspace, path); }, cancel);
  if (!file) {
    if (file.error().code == Errc::Cancelled) co_return std::unexpected(file.error());
    if (documents_.contains(path)) last_change_ = std::max(last_change_, noticed);
    close(path);
    co_return std::unexpected(file.error());
  }
  const auto [entry, is_new] = documents_.try_emplace(path);
  Document& document = entry->second;
  const std::size_t hash = std::hash<std::string_view>()(file->text);
  const bool is_same = !is_new && document.hash == hash && document.facts.size == file->facts.size;
  if (!is_new && document.facts != file->facts) last_change_ = std::max(last_change_, noticed);
  document.used = ++uses_;
  document.facts = file->facts;
  if (is_same && document.told.time >= since) co_return Result<void>();
  document.hash = hash;
  document.told = {++last_version_, published_[path].count, Clock::now()};
  if (!is_same) document.told_text = document.told;
  tell(path, is_new, document, file->text);
  close_oldest();
  co_return Result<void>();
}

void LanguageServer::tell(const std::string& path, bool is_new, const Document& document,
                          const std::string& text) {
  if (is_new) return tell_opened(path, document, text);
  if (!is_clangd_) return tell_changed(path, document, text);
  // After a change clangd first reports what it sees with the headers as it read them before, and
  // it says nothing when it sees nothing new. Of a document that is opened it reports once, with
  // the headers as they are.
  tell_closed(path);
  tell_opened(path, document, text);
}

void LanguageServer::tell_opened(const std::string& path, const Document& document,
                                 const std::string& text) {
  json::object opened = document_of(path);
  opened["languageId"] = language_id_of(options_.language, path);
  opened["version"] = document.told.version;
  opened["text"] = text;
  peer_->notify("textDocument/didOpen", json::object{{"textDocument", std::move(opened)}});
}

void LanguageServer::tell_changed(const std::string& path, const Document& document,
                                  const std::string& text) {
  json::object changed = document_of(path);
  changed["version"] = document.told.version;
  peer_->notify("textDocument/didChange",
                json::object{{"textDocument", std::move(changed)},
                             {"contentChanges", json::array{json::object{{"text", text}}}}});
  if (wants_saves_)
    peer_->notify("textDocument/didSave", json::object{{"textDocument", document_of(path)}});
}

void LanguageServer::close(const std::string& path) {
  if (documents_.erase(path) == 0) return;
  published_.erase(path);
  tell_closed(path);
}

void LanguageServer::tell_closed(const std::string& path) {
  peer_->notify("textDocument/didClose", json::object{{"textDocument", document_of(path)}});
}

void LanguageServer::close_oldest() {
  const auto use_of = [](const auto& entry) { return entry.second.used; };
  while (documents_.size() > kMostOpen) {
    const std::string oldest = std::ranges::min_element(documents_, {}, use_of)->first;
    close(oldest);
  }
}

Task<Result<void>> LanguageServer::open(std::string path, const Cancel& cancel) {
  const Use use(*this);
  // clangd read the headers of what was open before one of them changed.
  const auto since = is_clangd_ ? last_change_ : Clock::time_point::min();
  co_return co_await synchronize(path, since, Clock::now(), cancel);
}

Task<Result<void>> LanguageServer::refresh(const Cancel& cancel) {
  const Use use(*this);
  const auto now = Clock::now();
  std::vector<std::pair<std::string, FileFacts>> known;
  for (const auto& [path, document] : documents_) known.emplace_back(path, document.facts);
  const auto find_changed = [&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> changed;
    for (const auto& [path, facts] : known) {
      const auto file = options_.workspace->open(path, O_PATH);
      if (!file || facts_of(file->facts) != facts) changed.push_back(path);
    }
    return changed;
  };
  auto changed = co_await offload(find_changed, cancel);
  if (!changed) co_return std::unexpected(changed.error());
  for (const std::string& path : *changed)
    if (auto done = co_await synchronize(path, now, now, cancel);
        !done && done.error().code == Errc::Cancelled)
      co_return done;
  co_return Result<void>();
}

bool LanguageServer::has_reported(const std::string& path) const {
  const auto document = documents_.find(path);
  return document == documents_.end() ||  // nobody will
         has_reported(path, document->second.told);
}

bool LanguageServer::has_reported_this_text(const std::string& path) const {
  const auto document = documents_.find(path);
  return document == documents_.end() || has_reported(path, document->second.told_text);
}

bool LanguageServer::has_reported(const std::string& path, const Telling& telling) const {
  const auto published = published_.find(path);
  if (published == published_.end() || published->second.count <= telling.reports_before)
    return false;
  return !published->second.version || *published->second.version >= telling.version;
}

Task<Result<void>> LanguageServer::wait_for_report(const std::string& path, Clock::duration time,
                                                   const Cancel& cancel) {
  const Use use(*this);
  const CancelHook hook(cancel, [this](CancelReason) { bell_.ring(); });
  const auto latest = Clock::now() + time;
  while (!has_reported(path) && !peer_->has_ended() && !cancel.requested() && Clock::now() < latest)
    co_await bell_.wait(latest);
  if (cancel.requested()) co_return cancelled();
  if (peer_->has_ended())
    co_return fail(Errc::UpstreamBroken, "the language server {} {}", name(), peer_->ending());
  if (!has_reported(path))
    co_return fail(Errc::UpstreamTimeout,
                   "the language server {} has not looked at {} within {} s "
                   "(toolgate.languageServer.answerSeconds)",
                   name(), visible_text(options_.workspace->shown(path), false),
                   std::chrono::duration<double>(options_.request_time).count());
  co_return Result<void>();
}

Task<Result<void>> LanguageServer::settle(const Cancel& cancel) {
  if (pulls_diagnostics_ || has_tsserver_) co_return Result<void>();
  const auto latest = Clock::now() + std::min<Clock::duration>(options_.request_time, kSettleTime);
  for (const std::string& path : open_paths()) {
    auto reported = co_await wait_for_report(path, latest - Clock::now(), cancel);
    if (!reported && reported.error().code != Errc::UpstreamTimeout) co_return reported;
  }
  co_return Result<void>();
}

Task<Result<std::vector<LspDiagnostic>>> LanguageServer::diagnose(std::string path,
                                                                  Clock::time_point since,
                                                                  const Cancel& cancel) {
  const Use use(*this);
  const bool asks = pulls_diagnostics_ || has_tsserver_;
  if (auto done =
          co_await synchronize(path, asks ? Clock::time_point::min() : since, Clock::now(), cancel);
      !done)
    co_return std::unexpected(done.error());
  if (has_tsserver_) co_return co_await ask_tsserver(path, cancel);
  if (pulls_diagnostics_) co_return co_await pull_diagnostics(path, cancel);
  // What other servers have reported of this text stands when they do not repeat it.
  const bool may_stand = !is_clangd_ && has_reported_this_text(path);
  const auto time = may_stand ? std::min<Clock::duration>(options_.request_time, kPatience)
                              : options_.request_time;
  auto reported = co_await wait_for_report(path, time, cancel);
  if (!reported && !(may_stand && reported.error().code == Errc::UpstreamTimeout))
    co_return std::unexpected(reported.error());
  co_return published_[path].diagnostics;
}

Task<Result<std::vector<LspDiagnostic>>> LanguageServer::pull_diagnostics(const std::string& path,
                                                                          const Cancel& cancel) {
  const auto answer = co_await call("textDocument/diagnostic",
                                    json::object{{"textDocument", document_of(path)}}, cancel);
  if (!answer) co_return std::unexpected(answer.error());
  const json::value* items = find(*answer, "items");
  co_return items ? read_diagnostics(*items, kMostDiagnostics) : std::vector<LspDiagnostic>();
}

// typescript-language-server publishes in pieces and does not say which is the last; the compiler
// behind it can be asked.
Task<Result<std::vector<LspDiagnostic>>> LanguageServer::ask_tsserver(const std::string& path,
                                                                      const Cancel& cancel) {
  std::vector<LspDiagnostic> all;
  for (const std::string_view kind : {"syntacticDiagnosticsSync", "semanticDiagnosticsSync"}) {
    const auto answer =
        co_await call("workspace/executeCommand",
                      json::object{{"command", kTsserverCommand},
                                   {"arguments", json::array{kind, json::object{{"file", path}}}}},
                      cancel);
    if (!answer) co_return std::unexpected(answer.error());
    std::ranges::move(read_tsserver_diagnostics(*answer, kMostDiagnostics),
                      std::back_inserter(all));
  }
  co_return all;
}

Task<Result<std::vector<LspLocation>>> LanguageServer::locate(std::string method, std::string path,
                                                              LspPosition position,
                                                              const Cancel& cancel) {
  if (method == "textDocument/implementation" && !can_find_implementations_)
    co_return std::vector<LspLocation>();
  if (is_clangd_ && method == "textDocument/definition") {
    const auto here = co_await definition_at(path, position, cancel);
    if (!here) co_return std::unexpected(here.error());
    if (*here) co_return std::vector{**here};
  }
  json::object params{{"textDocument", document_of(path)}, {"position", write_position(position)}};
  if (method == "textDocument/references") params["context"] = {{"includeDeclaration", true}};
  const auto answer = co_await call(std::move(method), std::move(params), cancel);
  if (!answer) co_return std::unexpected(answer.error());
  co_return read_locations(*answer, kMostLocations);
}

// At a definition clangd answers with the declaration. This is the definition, if it is there.
Task<Result<std::optional<LspLocation>>> LanguageServer::definition_at(const std::string& path,
                                                                       LspPosition position,
                                                                       const Cancel& cancel) {
  const auto answer = co_await call(
      "textDocument/symbolInfo",
      json::object{{"textDocument", document_of(path)}, {"position", write_position(position)}},
      cancel);
  if (!answer && answer.error().code == Errc::InvalidRequest) co_return std::nullopt;
  if (!answer) co_return std::unexpected(answer.error());
  auto definition = read_symbol_definition(*answer);
  if (!definition || !covers(*definition, path, position)) co_return std::nullopt;
  co_return definition;
}

Task<Result<std::vector<LspSymbol>>> LanguageServer::outline(std::string path,
                                                             const Cancel& cancel) {
  if (!can_outline_) co_return std::vector<LspSymbol>();
  const auto answer = co_await call("textDocument/documentSymbol",
                                    json::object{{"textDocument", document_of(path)}}, cancel);
  if (!answer) co_return std::unexpected(answer.error());
  co_return read_outline(*answer, path, kMostOutline);
}

Task<Result<std::vector<LspSymbol>>> LanguageServer::find_symbols(std::string query,
                                                                  const Cancel& cancel) {
  if (!can_find_symbols_) co_return std::vector<LspSymbol>();
  const auto answer =
      co_await call("workspace/symbol", json::object{{"query", std::move(query)}}, cancel);
  if (!answer) co_return std::unexpected(answer.error());
  co_return read_symbols(*answer, kMostSymbols);
}

Task<Result<json::value>> LanguageServer::rename(std::string path, LspPosition position,
                                                 std::string new_name, const Cancel& cancel) {
  if (!can_rename_)
    co_return fail(Errc::InvalidRequest, "the language server {} does not rename", name());
  co_return co_await call("textDocument/rename",
                          json::object{{"textDocument", document_of(path)},
                                       {"position", write_position(position)},
                                       {"newName", std::move(new_name)}},
                          cancel);
}

}  // namespace toolgate
