// What runs tools in a gateway: the ledger, the folder of long results, and how settings become the
// context of a call. One per process; each loop has its own ToolsService on top of it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/snapshot.h"
#include "invoke/ledger.h"
#include "invoke/tools_service.h"
#include "store/data_folder_lock.h"
#include "store/result_files.h"

namespace toolgate {

class Edits;
struct RequestContext;

struct InvokingOptions {
  std::filesystem::path data;
  std::filesystem::path workspace;
  std::filesystem::path home;
};

class Invoking {
 public:
  // Fails when another process has the data folder, or the database cannot be read.
  static Result<std::unique_ptr<Invoking>> open(const InvokingOptions& options,
                                                const Settings& settings);

  Ledger& ledger() { return *ledger_; }
  ResultFiles& results() { return results_; }
  // Of the built-in tools; there before any request is, and until the last has ended.
  Edits& edits() { return *edits_; }
  void set_edits(Edits* edits) { edits_ = edits; }
  const Redaction& redaction() const { return redaction_; }
  const std::string& workspace() const { return workspace_; }

  InvokeContext context(const std::shared_ptr<const Snapshot>& snapshot,
                        std::shared_ptr<const Catalog> catalog) const;

 private:
  Invoking(DataFolderLock lock, const InvokingOptions& options, Redaction redaction,
           std::unique_ptr<Ledger> ledger);

  DataFolderLock lock_;
  std::string workspace_;
  std::shared_ptr<const EditPlaces> places_;
  ResultFiles results_;
  Redaction redaction_;
  std::unique_ptr<Ledger> ledger_;
  Edits* edits_ = nullptr;
};

// Null for the operator, who sees arguments as they are.
const Redaction* redaction_for(const RequestContext& context);

// The call that the route names, if whoever asks made it, or is the operator.
Task<Result<InvocationPointer>> find_own_call(RequestContext& context);

// {"tool", "verdict":"run"|"ask"|"refuse", "decision"?, "question"?, "trail":[…]}
std::string write_explanation(std::string_view tool_id, const Verdict& verdict);

}  // namespace toolgate
