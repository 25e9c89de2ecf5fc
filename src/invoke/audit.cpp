#include "invoke/audit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/json.h"
#include "base/json_tree.h"
#include "invoke/canonical.h"

namespace toolgate {
namespace {

constexpr std::array kKinds{
    std::pair{AuditKind::Proposed, std::string_view("proposed")},
    std::pair{AuditKind::Decided, std::string_view("decided")},
    std::pair{AuditKind::Started, std::string_view("started")},
    std::pair{AuditKind::Ended, std::string_view("ended")},
    std::pair{AuditKind::Remembered, std::string_view("remembered")},
    std::pair{AuditKind::Revoked, std::string_view("revoked")},
    std::pair{AuditKind::Unknown, std::string_view("unknown")},
    std::pair{AuditKind::Registered, std::string_view("registered")},
    std::pair{AuditKind::Removed, std::string_view("removed")},
    std::pair{AuditKind::Ran, std::string_view("ran")},
    std::pair{AuditKind::Undo, std::string_view("undo")},
};

const std::string kNoHash(64, '0');

struct TextMember {
  std::string_view name;
  std::string AuditEntry::* field;
};
// In the order of the line; what is hashed stands in the same order.
constexpr std::array kTexts{
    TextMember{"invocation_id", &AuditEntry::invocation_id},
    TextMember{"tool_id", &AuditEntry::tool_id},
    TextMember{"session_id", &AuditEntry::session_id},
    TextMember{"actor", &AuditEntry::actor},
};
constexpr std::array kHashes{
    TextMember{"previous", &AuditEntry::previous},
    TextMember{"hash", &AuditEntry::hash},
};
constexpr std::size_t kMembers = 4 + kTexts.size() + kHashes.size();

// With its length before it, so that no two entries give the same bytes.
void append_measured(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":", name);
  append_json_string(out, text);
}

// Whether writing it again gives the same bytes: then it can stand in a line as an object.
bool is_compact_object(std::string_view text) {
  JsonTree tree;
  const auto node = tree.parse(text);
  return node && (*node)->is(JsonNode::Kind::Object) && write_json(**node) == text;
}

std::unexpected<Error> bad_member(std::string_view name) {
  return fail_at(std::string(name), Errc::InvalidJson,
                 "a line of the audit trail has no usable member '{}'", name);
}

Result<std::int64_t> read_number(const JsonNode& line, std::string_view name) {
  const JsonNode* member = line.find(name);
  std::int64_t number = 0;
  if (!member || !member->is(JsonNode::Kind::Number)) return bad_member(name);
  const std::string_view text = member->text;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return bad_member(name);
  return number;
}

Result<std::string> read_text(const JsonNode& line, std::string_view name) {
  const JsonNode* member = line.find(name);
  if (!member || !member->is(JsonNode::Kind::String)) return bad_member(name);
  return std::string(member->text);
}

Result<std::string> read_data(const JsonNode& line) {
  const JsonNode* member = line.find("data");
  if (member && member->is(JsonNode::Kind::Object)) return write_json(*member);
  return read_text(line, "data");
}

Result<void> read_texts(const JsonNode& line, std::span<const TextMember> members,
                        AuditEntry& entry) {
  for (const TextMember& member : members) {
    auto text = read_text(line, member.name);
    if (!text) return std::unexpected(text.error());
    entry.*member.field = std::move(*text);
  }
  return {};
}

std::optional<std::string> broken_link(const AuditEntry& entry, const AuditEntry* before) {
  const std::int64_t expected = before ? before->sequence + 1 : 1;
  if (entry.sequence > expected && entry.sequence - expected == 1)
    return fmt::format("entry {} is missing", expected);
  if (entry.sequence > expected)
    return fmt::format("entries {} to {} are missing", expected, entry.sequence - 1);
  if (entry.sequence < expected)
    return fmt::format("entry {} stands where entry {} should", entry.sequence, expected);
  if (entry.hash != audit_hash(entry))
    return fmt::format("entry {} was changed: its hash is not that of what it says",
                       entry.sequence);
  if (entry.previous != (before ? before->hash : kNoHash))
    return fmt::format(
        "entry {} does not follow what stands before it: one of the two was replaced",
        entry.sequence);
  return std::nullopt;
}

}  // namespace

std::string_view name_of(AuditKind kind) {
  return std::ranges::find(kKinds, kind, &decltype(kKinds)::value_type::first)->second;
}

std::optional<AuditKind> parse_audit_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &decltype(kKinds)::value_type::second);
  return found == kKinds.end() ? std::nullopt : std::optional(found->first);
}

std::string audit_hash(const AuditEntry& entry) {
  std::string bytes;
  bytes.reserve(256 + entry.data.size());
  append_measured(bytes, "toolgate audit 1");
  append_measured(bytes, fmt::format_int(entry.sequence).c_str());
  append_measured(bytes, fmt::format_int(entry.at).c_str());
  append_measured(bytes, name_of(entry.kind));
  for (const TextMember& member : kTexts) append_measured(bytes, entry.*member.field);
  append_measured(bytes, entry.data);
  append_measured(bytes, entry.previous);
  return sha256_hex(bytes);
}

void chain_after(AuditEntry& entry, const AuditEntry* last) {
  entry.sequence = last ? last->sequence + 1 : 1;
  entry.previous = last ? last->hash : kNoHash;
  entry.hash = audit_hash(entry);
}

std::optional<std::string> find_broken_link(std::span<const AuditEntry> entries,
                                            const AuditEntry* before) {
  for (const AuditEntry& entry : entries) {
    if (auto broken = broken_link(entry, before)) return broken;
    before = &entry;
  }
  return std::nullopt;
}

std::string write_audit_line(const AuditEntry& entry) {
  std::string out = fmt::format(R"({{"sequence":{},"at":{},"kind":"{}")", entry.sequence, entry.at,
                                name_of(entry.kind));
  for (const TextMember& member : kTexts) append_member(out, member.name, entry.*member.field);
  if (is_compact_object(entry.data)) {
    out += ",\"data\":";
    out += entry.data;
  } else {
    append_member(out, "data", entry.data);
  }
  for (const TextMember& member : kHashes) append_member(out, member.name, entry.*member.field);
  out += '}';
  return out;
}

Result<AuditEntry> parse_audit_line(std::string_view line) {
  JsonTree tree;
  const auto parsed = tree.parse(line);
  if (!parsed) return std::unexpected(parsed.error());
  const JsonNode& node = **parsed;
  // What is not hashed must not stand in a line either.
  if (!node.is(JsonNode::Kind::Object) || node.size != kMembers || tree.dropped_members())
    return fail(Errc::InvalidJson, "a line of the audit trail is an object with {} members",
                kMembers);
  AuditEntry entry;
  const auto sequence = read_number(node, "sequence");
  const auto at = read_number(node, "at");
  const auto kind = parse_audit_kind(read_text(node, "kind").value_or(""));
  auto data = read_data(node);
  if (!sequence) return std::unexpected(sequence.error());
  if (!at) return std::unexpected(at.error());
  if (!kind) return bad_member("kind");
  if (!data) return std::unexpected(data.error());
  entry.sequence = *sequence;
  entry.at = *at;
  entry.kind = *kind;
  entry.data = std::move(*data);
  if (auto read = read_texts(node, kTexts, entry); !read) return std::unexpected(read.error());
  if (auto read = read_texts(node, kHashes, entry); !read) return std::unexpected(read.error());
  return entry;
}

}  // namespace toolgate
