// Lines: a URL, a pattern for it, a path glob, a path; the rest is text for a person and JSON with
// secrets. What is offered for a URL approves it, what a person sees can be read back, and no
// secret is left.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "base/utf8.h"
#include "fuzz/require.h"
#include "invoke/code_points.h"
#include "invoke/edit_approval.h"
#include "invoke/redaction.h"
#include "invoke/url_approval.h"
#include "invoke/visible_text.h"

namespace {

using namespace toolgate;

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool approves(std::string_view url, std::string_view pattern) {
  const std::vector<UrlRule> rules{{std::string(pattern), true, true}};
  return approving_pattern(url, rules, UrlSide::Request).has_value();
}

void check_url(std::string_view url, std::string_view pattern) {
  matches_url(url, pattern);
  approves(url, pattern);
  for (const std::string& offered : offered_url_patterns(url)) {
    require(approves(url, offered), "what is offered approves the URL");
    require(is_valid_utf8(url) <= is_valid_utf8(offered), "and is text");
  }
}

void check_glob(std::string_view pattern, std::string_view path) {
  const bool matches = matches_path_glob(pattern, path);
  require(matches_path_glob("\t" + std::string(pattern) + " ", path) == matches,
          "blanks around a pattern mean nothing");
  bool is_simple = !pattern.empty();
  for (const char c : pattern) is_simple &= c > ' ' && !std::string_view("{}[],/").contains(c);
  if (is_simple)
    require(matches_path_glob("{" + std::string(pattern) + "}", path) == matches,
            "a choice of one is that one");
  const std::vector<EditRule> rules{{std::string(pattern), true}};
  const EditPlaces places{.workspaces = {"/", "/ws"}, .home = "/home/me", .ignore_case = true};
  check_edit_path(path, rules, places);
}

std::string read_back(std::string_view visible) {
  constexpr std::string_view kOpening = "⟨";
  std::string text;
  while (!visible.empty()) {
    const std::string_view rest =
        visible.starts_with(kOpening) ? visible.substr(kOpening.size()) : std::string_view();
    if (!rest.starts_with("U+") && !rest.starts_with("0x")) {
      text += visible[0];
      visible.remove_prefix(1);
      continue;
    }
    const unsigned long code = std::strtoul(std::string(rest.substr(2, 6)).c_str(), nullptr, 16);
    if (rest.starts_with("U+"))
      append_utf8(text, static_cast<char32_t>(code));
    else
      text += static_cast<char>(code);
    visible = rest.substr(rest.find("⟩") + std::string_view("⟩").size());
  }
  return text;
}

void check_text(std::string_view text) {
  for (const bool lines : {true, false}) {
    const std::string visible = visible_text(text, lines);
    require(is_valid_utf8(visible), "what a person sees is text");
    for (const char c : visible)
      require(static_cast<unsigned char>(c) >= 0x20 || (lines && (c == '\n' || c == '\t')),
              "without control characters");
    require(read_back(visible) == text, "that can be read back");
  }
}

void require_redacted(const JsonNode& node, const Redaction& redaction) {
  for (const JsonNode* child = node.first; child; child = child->next) {
    if (node.is(JsonNode::Kind::Object) && redaction.is_secret(child->key))
      require(child->is(JsonNode::Kind::String) && child->text == "[redacted]",
              "no secret is left");
    else
      require_redacted(*child, redaction);
  }
}

void check_redaction(std::string_view text) {
  const Redaction redaction;
  const std::string redacted = redaction.redact(text);
  JsonTree tree;
  const auto root = tree.parse(redacted);
  require(root.has_value(), "what is left is JSON");
  require_redacted(**root, redaction);
  require(redaction.redact(redacted) == redacted, "nothing is left to redact");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_text(text.substr(0, 4096));
  // Matching takes the product of both lengths.
  const std::string_view url = take_line(text).substr(0, 2048);
  check_url(url, take_line(text).substr(0, 256));
  const std::string_view glob = take_line(text).substr(0, 256);
  check_glob(glob, take_line(text).substr(0, 1024));
  check_redaction(text);
  return 0;
}
