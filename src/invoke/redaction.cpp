#include "invoke/redaction.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/json_tree.h"

namespace toolgate {
namespace {

constexpr std::string_view kRedacted = "[redacted]";
// JSON that was packed into strings, and again into those.
constexpr int kMostWrappings = 8;

std::string bare_name(std::string_view name) {
  std::string bare;
  bare.reserve(name.size());
  for (const char c : name)
    if (c != '-' && c != '_') bare += ascii_lower(c);
  return bare;
}

std::string_view longest_run(std::string_view pattern) {
  std::string_view longest;
  while (!pattern.empty()) {
    const std::string_view run = pattern.substr(0, pattern.find_first_of("*?"));
    if (run.size() > longest.size()) longest = run;
    pattern.remove_prefix(std::min(run.size() + 1, pattern.size()));
  }
  return longest;
}

// Of all there are: with the rarest letters, and none that many words have.
std::string_view rarest_three(std::string_view run) {
  constexpr std::array<std::string_view, 8> kCommon{"ing", "ion", "con", "tio",
                                                    "res", "ent", "ase", "ess"};
  static constexpr std::string_view kRare = "jkqvwxyz";
  std::string_view best = run.substr(0, 3);
  std::ptrdiff_t most = -1;
  for (std::size_t at = 0; at + 3 <= run.size(); ++at) {
    const std::string_view three = run.substr(at, 3);
    const auto rare = std::ranges::count_if(three, [](char c) { return kRare.contains(c); });
    if (rare < most || std::ranges::find(kCommon, three) != kCommon.end()) continue;
    most = rare;
    best = three;
  }
  return best;
}

std::size_t hash_of(char first, char second, char third) {
  const auto number = [](char c) {
    return static_cast<std::size_t>(static_cast<unsigned char>(c));
  };
  return (number(first) * 961 + number(second) * 31 + number(third)) % 4096;
}

bool may_be_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

class Redactor {
 public:
  Redactor(const Redaction& redaction, int wrappings)
      : redaction_(redaction), wrappings_(wrappings) {}

  // Nothing: the text is no JSON.
  std::optional<std::string> redact(std::string_view json) {
    const auto root = tree_.parse(json);
    if (!root) return std::nullopt;
    changed_ = tree_.dropped_members();
    visit(**root);
    return write_json(**root);
  }
  bool changed() const { return changed_; }

 private:
  void visit(JsonNode& node) {
    if (node.is(JsonNode::Kind::String)) unwrap(node);
    for (JsonNode* child = node.first; child; child = child->next) {
      if (node.is(JsonNode::Kind::Object) && redaction_.is_secret(child->key))
        change(*child, kRedacted);
      else
        visit(*child);
    }
  }

  void unwrap(JsonNode& node) {
    if (!may_be_json(node.text)) return;
    if (wrappings_ == kMostWrappings) {
      change(node, kRedacted);
      return;
    }
    Redactor inner(redaction_, wrappings_ + 1);
    const auto text = inner.redact(node.text);
    if (text && inner.changed()) change(node, *text);
  }

  void change(JsonNode& node, std::string_view text) {
    JsonTree::replace(node, *tree_.make_string(text));
    changed_ = true;
  }

  const Redaction& redaction_;
  int wrappings_;
  JsonTree tree_;
  bool changed_ = false;
};

// The texts below members whose name is secret; shorter ones would hide half of any sentence.
template <class IsSecret>
void collect_texts(const JsonNode& node, bool secret, const IsSecret& is_secret,
                   std::vector<std::string_view>& out) {
  constexpr std::size_t kShortest = 4;
  if (secret && node.is(JsonNode::Kind::String) && node.text.size() >= kShortest &&
      node.text != "[redacted]")
    out.push_back(node.text);
  for (const JsonNode* child = node.first; child; child = child->next)
    collect_texts(*child, secret || (node.is(JsonNode::Kind::Object) && is_secret(child->key)),
                  is_secret, out);
}

}  // namespace

const std::vector<std::string>& default_redacted_names() {
  static const std::vector<std::string> kNames{
      "*password*",
      "*passwd*",
      "*passphrase*",
      "pwd",
      "*secret*",
      "*token",
      "auth",
      "*api_key*",
      "*access_key*",
      "*private_key*",
      "*ssh_key*",
      "*credential*",
      "authorization",
      "proxy-authorization",
      "*cookie",
      "*bearer*",
      "jwt",
      "otp",
      "connection_string",
  };
  return kNames;
}

Redaction::Redaction(std::span<const std::string> names) {
  for (const std::string& name : names) {
    globs_.emplace_back(bare_name(name));
    const std::string_view run = longest_run(globs_.back().pattern());
    if (run.size() < 3) {
      filters_ = false;
      continue;
    }
    const std::string_view mark = rarest_three(run);
    marks_.set(hash_of(mark[0], mark[1], mark[2]));
  }
}

// Most names and texts are looked at no closer.
bool Redaction::may_hold_secret(std::string_view text) const {
  if (!filters_) return true;
  char first = 0;
  char second = 0;
  for (const char c : text) {
    if (c == '-' || c == '_') continue;
    const char third = ascii_lower(c);
    if (marks_.test(hash_of(first, second, third))) return true;
    first = second;
    second = third;
  }
  return false;
}

bool Redaction::is_secret(std::string_view name) const {
  if (!may_hold_secret(name)) return false;
  const std::string bare = bare_name(name);
  return std::ranges::any_of(globs_, [&](const Glob& glob) { return glob.matches(bare); });
}

std::string Redaction::redact(std::string_view json) const {
  return Redactor(*this, 0).redact(json).value_or("\"" + std::string(kRedacted) + "\"");
}

std::string Redaction::redact_line(std::string_view json) const {
  const auto is_special = [](char c) { return c == '\\' || static_cast<unsigned char>(c) < 0x20; };
  // An escape may spell a name in another way.
  if (may_hold_secret(json) || std::ranges::any_of(json, is_special)) return redact(json);
  return std::string(json);
}

std::string Redaction::hide(std::string text, std::string_view json) const {
  constexpr std::string_view kMark = "[redacted]";
  if (text.empty()) return text;
  JsonTree tree;
  const auto root = tree.parse(json);
  if (!root) return text;
  std::vector<std::string_view> secrets;
  collect_texts(**root, false, [this](std::string_view name) { return is_secret(name); }, secrets);
  for (const std::string_view secret : secrets)
    for (auto at = text.find(secret); at != text.npos; at = text.find(secret, at + kMark.size()))
      text.replace(at, secret.size(), kMark);
  return text;
}

}  // namespace toolgate
