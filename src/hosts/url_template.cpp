#include "hosts/url_template.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/percent.h"

namespace toolgate {
namespace {

std::unexpected<Error> refuse(std::string_view reason) {
  return fail(Errc::InvalidRequest, "{}", reason);
}

bool is_argument_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_ascii_letter_or_digit(c) || std::string_view("_-.$").contains(c);
  });
}

// Servers walk up at "..", many of them also where it or a slash is escaped.
bool has_dot_segment(std::string_view path) {
  const std::string decoded = decode_percent(path);
  const std::string_view text = decoded;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("/\\", at), text.size());
    const auto segment = text.substr(at, end - at);
    if (segment == "." || segment == "..") return true;
    at = end + 1;
  }
  return false;
}

// A text, a number or a truth value as it stands in a URL.
std::optional<std::string_view> plain_text(const JsonNode& value) {
  switch (value.kind) {
    case JsonNode::Kind::String:
    case JsonNode::Kind::Number:
      return value.text;
    case JsonNode::Kind::Bool:
      return value.truth ? "true" : "false";
    default:
      return std::nullopt;
  }
}

// Anything has a place in a query: what is no plain text stands there as JSON.
void append_value(std::string& out, const JsonNode& value) {
  if (const auto text = plain_text(value))
    append_percent_encoded(out, *text);
  else
    append_percent_encoded(out, write_json(value));
}

void append_list(std::string& out, const JsonNode& list) {
  for (const JsonNode* item = list.first; item != nullptr; item = item->next) {
    if (item != list.first) out += ',';
    append_value(out, *item);
  }
}

const JsonNode* find_argument(const JsonNode& arguments, std::string_view name) {
  const JsonNode* value = arguments.find(name);
  return value != nullptr && value->is(JsonNode::Kind::Null) ? nullptr : value;
}

class Query {
 public:
  void add(std::string_view pair) { text_.append(text_.empty() ? "?" : "&").append(pair); }

  // A list gives its name once for each item.
  void add(std::string_view name, const JsonNode& value) {
    if (value.is(JsonNode::Kind::Null)) return;
    if (value.is(JsonNode::Kind::Array)) {
      for (const JsonNode* item = value.first; item != nullptr; item = item->next)
        add_pair(name, *item);
    } else {
      add_pair(name, value);
    }
  }

  const std::string& text() const { return text_; }

 private:
  void add_pair(std::string_view name, const JsonNode& value) {
    std::string pair;
    append_percent_encoded(pair, name);
    pair += '=';
    append_value(pair, value);
    add(pair);
  }

  std::string text_;
};

}  // namespace

Result<UrlTemplate::Pieces> UrlTemplate::read_pieces(std::string_view text) {
  Pieces pieces;
  while (!text.empty()) {
    const bool is_name = text.starts_with('{');
    const std::size_t end = is_name ? text.find('}') : std::min(text.find('{'), text.size());
    if (end == text.npos) return refuse("has a '{' without its '}'");
    const auto piece = is_name ? text.substr(1, end - 1) : text.substr(0, end);
    text.remove_prefix(is_name ? end + 1 : end);
    if (is_name && !is_argument_name(piece))
      return refuse(
          "must have the name of an argument between '{' and '}': letters, digits, '_', '-', '.' "
          "and '$'");
    if (!is_name &&
        !std::ranges::all_of(piece, [](char c) { return is_url_character(c) || c == '%'; }))
      return refuse(
          "must not contain spaces, control characters or others that have to be escaped");
    if (is_name) names_.emplace_back(piece);
    pieces.push_back({is_name, std::string(piece)});
  }
  return pieces;
}

Result<UrlTemplate> UrlTemplate::parse(std::string_view url) {
  if (url.contains('#')) return refuse("must not contain a fragment (#)");
  const auto [origin, rest] = split_url(url);
  if (origin.contains('{')) return refuse("may have {names} in its path and query only");
  auto address = parse_base_url(origin);
  if (!address) return refuse(address.error().message);
  UrlTemplate made;
  made.origin_ = std::move(*address);

  const std::size_t question = std::min(rest.find('?'), rest.size());
  const auto path_text = rest.substr(0, question);
  if (has_dot_segment(path_text)) return refuse("must not have '.' or '..' as a part of its path");
  auto path = made.read_pieces(path_text.empty() ? "/" : path_text);
  if (!path) return std::unexpected(path.error());
  made.path_ = std::move(*path);
  for (auto query = rest.substr(question); !query.empty();) {
    query.remove_prefix(1);
    const std::size_t end = std::min(query.find('&'), query.size());
    auto pair = made.read_pieces(query.substr(0, end));
    if (!pair) return std::unexpected(pair.error());
    if (!pair->empty()) made.query_.push_back(std::move(*pair));
    query.remove_prefix(end);
  }
  return made;
}

bool UrlTemplate::uses(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

Result<std::string> UrlTemplate::fill_path(const JsonNode& arguments) const {
  std::string path;
  for (const auto& [is_name, text] : path_) {
    if (!is_name) {
      path += text;
      continue;
    }
    const JsonNode* value = find_argument(arguments, text);
    const auto plain = value != nullptr ? plain_text(*value) : std::nullopt;
    if (!plain || plain->empty())
      return fail_at(text, Errc::InvalidRequest,
                     "the argument '{}' is a part of the tool's URL: it must be a text that is not "
                     "empty, a number or a truth value",
                     text);
    append_percent_encoded(path, *plain);
  }
  if (has_dot_segment(path))
    return fail(Errc::InvalidRequest,
                "the arguments must not make '.' or '..' a part of the path of the tool's URL");
  return path;
}

Result<HttpUrl> UrlTemplate::fill(const JsonNode& arguments, bool rest_in_query) const {
  auto path = fill_path(arguments);
  if (!path) return std::unexpected(path.error());
  Query query;
  for (const Pieces& pair : query_) {
    std::string filled;
    const bool complete = std::ranges::all_of(pair, [&](const Piece& piece) {
      const JsonNode* value = piece.is_name ? find_argument(arguments, piece.text) : nullptr;
      if (!piece.is_name)
        filled += piece.text;
      else if (value != nullptr && value->is(JsonNode::Kind::Array))
        append_list(filled, *value);
      else if (value != nullptr)
        append_value(filled, *value);
      return !piece.is_name || value != nullptr;
    });
    if (complete) query.add(filled);
  }
  if (rest_in_query)
    for (const JsonNode* member = arguments.first; member != nullptr; member = member->next)
      if (!uses(member->key)) query.add(member->key, *member);
  return HttpUrl{origin_, *path + query.text()};
}

}  // namespace toolgate
