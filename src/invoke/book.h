// The book of calls: every call that is proposed, decided, running or waiting, what people have
// allowed, and the audit trail. All rules about who may do what to a call in which state are here;
// each change is written to the store before anyone is told, except that a call of a read-only tool
// which runs without a question is written when it has ended, or has run for a while.
// Single-threaded and synchronous: ledger.h runs it on a thread of its own and commits many changes
// at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_object.h"
#include "invoke/approvals.h"
#include "invoke/decide.h"
#include "invoke/invocation.h"
#include "invoke/redaction.h"
#include "invoke/store.h"

namespace toolgate {

// Something that listeners are told. Its JSON is made when one of them reads it.
struct BookEvent {
  BookEvent(std::string_view what, std::string json)
      : kind(what), bytes(json.size()), write([json = std::move(json)] { return json; }) {}
  BookEvent(std::string_view what, std::size_t about, std::function<std::string()> later)
      : kind(what), bytes(about), write(std::move(later)) {}

  std::string kind;
  std::size_t bytes;  // about how much it holds
  std::function<std::string()> write;
};

// A call that wants to run.
struct Proposal {
  InvocationRow call;  // id, state, times and decision are filled in here
  CallFacts facts;
  std::shared_ptr<const std::string> definition;         // definition_text() of the tool
  std::shared_ptr<const std::string> server_definition;  // of its server's tools; may be null
  bool may_wait = true;                                  // false: what would ask is refused at once
  bool is_read_only = false;                             // the tool changes nothing
  std::int64_t confirmation_time = 0;  // milliseconds until a question expires; 0: never
};

struct Proposed {
  std::shared_ptr<const InvocationRow> call;
  Verdict verdict;
  // Of the definition, field by field, against the one that was approved once.
  std::string definition_changes = {};  // JSON list of {field, before, after}; empty: none
  bool written_later = false;           // it runs, and is written down when it has ended
};

// What a person says about a call that waits.
struct Confirmation {
  std::string id = {};
  enum class Choice : std::uint8_t { Allow, Deny, Skip } choice = Choice::Allow;
  ApprovalScope scope = ApprovalScope::Once;
  std::optional<ApprovalTarget> target = {};  // nothing: the widest that would count
  std::string message = {};
  std::string by = {};
  std::optional<std::string> parameters = {};      // JSON: edited
  std::optional<std::string> arguments_hash = {};  // what the person saw
  std::string selected_button = {};
  std::int64_t remember_for = 0;  // milliseconds; 0: without end
};

struct Ending {
  std::string id = {};
  ResultFacts facts;
  std::string result = {};  // JSON to keep; may be empty
  std::string error = {};
  std::size_t result_bytes = 0;
};

// An edit of files that is being taken back, or was, or was not.
struct UndoNote {
  enum class Outcome : std::uint8_t {
    Begun,  // nothing has happened yet
    Done,
    Refused,  // files are not as the edit left them; nothing was changed
    Failed,   // it could not be done; nothing was changed
  };

  Outcome outcome = Outcome::Begun;
  std::string edit = {};
  std::string tool_id = {};     // that made the edit
  std::string session_id = {};  // in which it was made
  std::string workspace = {};
  std::string by = {};
  bool force = false;
  std::vector<std::string> files = {};  // as people read them
  std::string undone_by = {};           // the edit that took it back
  std::string problem = {};
};

struct BookOptions {
  std::function<std::int64_t()> now;  // milliseconds since 1970
  // How long an approved call that nobody holds may still be resumed.
  std::int64_t resume_time = 3'600'000;
  std::size_t most_open = 100'000;
  std::size_t keep_ended = 10'000;
  std::size_t most_approvals = 1'000;          // per scope
  std::int64_t session_idle = 12 * 3'600'000;  // then a session's approvals are gone
  Redaction redaction;
};

class InvocationBook {
 public:
  // Reads what is open. What was running when the last process died is marked, and ended.
  static Result<std::unique_ptr<InvocationBook>> open(Store& store, BookOptions options);
  ~InvocationBook();

  // Runs at once, waits, or is refused: the verdict says which, and the row has its state.
  Result<Proposed> propose(Proposal proposal);

  // Exactly one decision counts: Conflict when there is one already or the hash is not the one
  // shown, NotFound for an unknown id. If `held`, someone waits to run it, and it begins; else it
  // stays approved until resume() or its time is over.
  Result<std::shared_ptr<const InvocationRow>> confirm(const Confirmation& confirmation, bool held);
  // An approved call that nobody held begins now; only once.
  Result<std::shared_ptr<const InvocationRow>> resume(std::string_view id);
  // Of a running call, once more.
  Result<std::shared_ptr<const InvocationRow>> ask_again(std::string_view id,
                                                         const PreparedCall& question,
                                                         std::int64_t confirmation_time);
  // Whether the call runs and nothing of it is written yet.
  bool is_written_later(std::string_view id) const;
  // The tool has ended: Completed, or waiting for someone to look at the result.
  Result<std::shared_ptr<const InvocationRow>> end(const Ending& ending);
  // Whatever it is doing; a call that has ended stays as it is, and Conflict says so.
  Result<std::shared_ptr<const InvocationRow>> cancel(std::string_view id, Decision reason);
  // Ends those whose time is over.
  Result<void> expire();
  // When the next one's time is over; 0: never.
  std::int64_t next_expiry() const;

  Result<std::shared_ptr<const InvocationRow>> find(std::string_view id);
  // Open ones from memory, ended ones from the store; newest first.
  Result<std::vector<std::shared_ptr<const InvocationRow>>> list(const InvocationQuery& query);
  std::size_t open_count() const { return open_.size(); }

  std::vector<Approval> approvals() const;
  Result<Approval> revoke(std::string_view id, std::string_view by);
  Result<std::size_t> reset_approvals(std::string_view by);
  // What would decide about a call, without making one.
  Verdict explain(const CallFacts& facts);

  Result<std::vector<AuditEntry>> audit(const AuditQuery& query);
  // In the trail; how it ended is told to listeners too, as an event of its own.
  Result<void> note_undo(const UndoNote& undo);
  Result<void> add_http_tool(const HttpToolRow& tool, std::string_view by);
  Result<bool> remove_http_tool(std::string_view name, std::string_view by);
  Result<std::vector<HttpToolRow>> http_tools();

  // A turn that a client will come back to, for so many milliseconds.
  Result<void> keep_turn(const std::string& caller, const std::string& id,
                         const std::string& record, std::int64_t keep_time);
  // Nothing: there is none, or its time is over.
  Result<std::optional<std::string>> find_turn(std::string_view caller, std::string_view id);

  // What happened since the last call of this; for the ledger to tell once it is durable.
  struct News {
    std::vector<BookEvent> events;
    // Calls about which a decision fell, or that ended otherwise.
    std::vector<std::shared_ptr<const InvocationRow>> settled;
  };
  News take_news();
  // The ends of calls that are written later wait for this: whoever made the call need not.
  Result<void> write_ends();
  bool has_ends_to_write() const { return !just_ended_.empty(); }
  // Before a commit, after write_ends(): calls that are written later and have run for long are
  // written now. True: there are others, which may become such.
  Result<bool> write_long_ones();
  // What was written is durable.
  void committed();
  // Before reload(): the ends of calls that are written later, which must be written once more.
  std::vector<Ending> undone_endings();

  // Whether the store failed in the middle of something: then the whole transaction must go.
  const std::optional<Error>& failure() const { return failure_; }
  // After a transaction that failed: memory becomes what the store says.
  Result<void> reload();

 private:
  struct Open;
  using Row = std::shared_ptr<const InvocationRow>;
  InvocationBook(Store& store, BookOptions options);

  // Remembers that the store failed.
  template <class T>
  Result<T> stored(Result<T> result) {
    if (!result && !failure_) failure_ = result.error();
    return result;
  }
  Result<void> load();
  Result<void> mark_interrupted();
  Result<Open*> find_open(std::string_view id);
  Result<void> write(Open& open, InvocationRow row);
  Result<Row> keep_for_resume(Open& open, InvocationRow row, const Decision& decision);
  Result<Row> settle(Open& open, InvocationRow row, const Decision& decision, bool about_result);
  Result<Row> finish(Open& open, InvocationRow row);
  Row finish_unwritten(InvocationRow row, const Ending& ending);
  void keep_unwritten(std::unordered_map<std::string, std::unique_ptr<Open>> before);
  Result<void> count_ended();
  std::vector<Row> open_rows(const InvocationQuery& query, bool only_unwritten) const;
  void tell_call(const Row& row);
  void watch(const InvocationRow& row);
  void unwatch(const InvocationRow& row);

  // `data` is a JSON object.
  Result<void> note(AuditKind kind, const InvocationRow& row, std::string_view actor,
                    std::string data);
  void describe_proposal(const InvocationRow& row, JsonObjectWriter& object) const;
  Result<void> note_proposal(const InvocationRow& row, std::string_view actor, bool edited);
  Result<void> note_decision(const InvocationRow& row, const Decision& decision);
  Result<void> note_start(const InvocationRow& row);
  Result<void> note_beginning(const InvocationRow& row, const Decision* decision);
  Result<void> note_end(const InvocationRow& row, const Ending& ending);
  Result<void> note_run(const InvocationRow& row, const Decision& decision, const Ending& ending);
  // For a call that was to be written when it has ended, and does something else first.
  Result<void> write_so_far(Open& open);
  Result<void> note_use(const Approval& approval, std::int64_t now);
  Result<void> void_approval(const Approval& approval, std::string_view by, std::string_view why);
  Result<Approval> make_approval(const Confirmation& confirmation, const Open& open,
                                 const InvocationRow& row) const;
  Result<void> remember(Approval approval, const InvocationRow& row);
  static Result<void> take_edited(const Confirmation& confirmation, InvocationRow& row);
  static Decision decision_of(const Confirmation& confirmation);
  static std::string write_confirmation(const Question& question, const Open& open,
                                        std::string_view changes);
  static std::string definition_changes(const Approval& outdated, const Open& open);
  Open restore_open(InvocationRow row, const Open* known) const;

  Store& store_;
  BookOptions options_;
  Approvals approvals_;
  std::unordered_map<std::string, std::unique_ptr<Open>> open_;
  std::set<std::pair<std::int64_t, std::string>> expiries_;
  std::uint64_t next_number_ = 0;
  std::size_t ended_since_pruning_ = 0;
  std::shared_ptr<const Redaction> redaction_;  // of the options; events outlive us
  std::optional<AuditEntry> last_audit_;        // its number and hash
  News news_;
  // Of calls that are written later: those that came since the last take_news(), those that have
  // ended since, and those that were written since the last commit, as they were before.
  struct JustWritten {
    std::unique_ptr<Open> before;
    std::optional<Ending> ending;  // nothing: it has not ended
  };
  std::vector<std::string> new_unwritten_;
  std::vector<std::string> unwritten_;  // all of them, and some that are written by now
  struct JustEnded {
    std::unique_ptr<Open> before;
    Ending ending;
    Row row;
  };
  std::vector<JustEnded> just_ended_;
  std::vector<JustWritten> just_written_;
  std::optional<Error> failure_;
};

// As JSON of the API: decisions, rows. `redaction` null: arguments as they are.
std::string write_decision(const Decision& decision);
Result<Decision> parse_decision(std::string_view json);
std::string write_invocation(const InvocationRow& row, const Redaction* redaction);
std::string write_approval(const Approval& approval);
std::string write_trail(const std::vector<TrailStep>& trail);

}  // namespace toolgate
