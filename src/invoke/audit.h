// The audit trail: what was proposed, decided, begun and ended, each entry chained to the one
// before it by a hash, so that a changed, missing or added entry shows. book.h appends, store.h
// keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "toolgate/error.h"

namespace toolgate {

enum class AuditKind : std::uint8_t {
  Proposed,  // a call was asked for
  Decided,   // it may run, or not: by whom and by which rule
  Started,
  Ended,       // with size, duration and error
  Remembered,  // an approval was kept
  Revoked,     // an approval was taken back, expired or voided
  Unknown,     // after a crash: it was running
  Registered,  // an HTTP tool came
  Removed,     // an HTTP tool went
  Ran,         // a call of a read-only tool that nobody was asked about, from proposal to end
  Undo,        // of an edit: begun, and how it ended
};
std::string_view name_of(AuditKind kind);  // "proposed", …
std::optional<AuditKind> parse_audit_kind(std::string_view name);

struct AuditEntry {
  std::int64_t sequence = 0;  // from 1, without gaps
  std::int64_t at = 0;        // milliseconds since 1970
  AuditKind kind = AuditKind::Proposed;
  std::string invocation_id = {};
  std::string tool_id = {};
  std::string session_id = {};
  std::string actor = {};     // who did it
  std::string data = {};      // JSON object: what belongs to the kind; arguments redacted
  std::string previous = {};  // hash of the entry before; 64 zeros for the first
  std::string hash = {};
};

// Of everything but itself.
std::string audit_hash(const AuditEntry& entry);

// Sets sequence, previous and hash. `last` is null for the first one.
void chain_after(AuditEntry& entry, const AuditEntry* last);

// The first entry that does not fit its neighbours, in words. `before` is the one before the
// first, if there is one.
std::optional<std::string> find_broken_link(std::span<const AuditEntry> entries,
                                            const AuditEntry* before = nullptr);

// One line of JSON without the line feed, and back.
std::string write_audit_line(const AuditEntry& entry);
Result<AuditEntry> parse_audit_line(std::string_view line);

}  // namespace toolgate
