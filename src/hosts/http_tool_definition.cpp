#include "hosts/http_tool_definition.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.h"
#include "base/header_text.h"
#include "base/json.h"
#include "base/json_number.h"
#include "base/json_tree.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "hosts/url_template.h"
#include "invoke/canonical.h"
#include "schema/compile.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;
using Headers = HttpToolDefinition::Headers;

constexpr std::size_t kMostTexts = 64;  // of a list, and of headers
constexpr std::size_t kMostShownBytes = 100;
constexpr double kLeastSeconds = 0.1;  // no deadline is finer
constexpr double kMostSeconds = 3'600;
constexpr double kMostResponseBytes = 64 << 20;

constexpr std::array<std::string_view, 5> kMethods{"GET", "POST", "PUT", "PATCH", "DELETE"};

// Ours to write: they frame the message or concern this connection only.
constexpr std::array<std::string_view, 15> kOwnHeaders{"accept-encoding",
                                                       "connection",
                                                       "content-encoding",
                                                       "content-length",
                                                       "expect",
                                                       "host",
                                                       "http2-settings",
                                                       "keep-alive",
                                                       "proxy-authorization",
                                                       "te",
                                                       "trailer",
                                                       "transfer-encoding",
                                                       "upgrade",
                                                       "via",
                                                       "proxy-connection"};

template <class... Args>
std::unexpected<Error> refuse(const std::string& where, fmt::format_string<Args...> text,
                              Args&&... args) {
  return fail_at(where, Errc::InvalidRequest, "'{}' {}", where,
                 fmt::format(text, std::forward<Args>(args)...));
}

// Of a name that anyone may have written.
std::string shown(std::string_view name) {
  return mend_utf8(name.substr(0, kMostShownBytes));
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// One field of the JSON.
struct Value {
  const JsonNode& node;
  std::string where;
};

Result<void> read_text(const Value& value, std::string& out) {
  if (!value.node.is(Kind::String) || value.node.text.empty())
    return refuse(value.where, "must be a text that is not empty");
  out = value.node.text;
  return {};
}

Result<void> read_line(const Value& value, std::string& out) {
  if (auto read = read_text(value, out); !read) return read;
  if (std::ranges::any_of(out, is_control))
    return refuse(value.where, "must be one line without control characters");
  return {};
}

Result<void> read_bool(const Value& value, bool& out) {
  if (!value.node.is(Kind::Bool)) return refuse(value.where, "must be true or false");
  out = value.node.truth;
  return {};
}

Result<void> read_texts(const Value& value, std::vector<std::string>& out) {
  if (!value.node.is(Kind::Array) || value.node.size > kMostTexts)
    return refuse(value.where, "must be a list of at most {} texts", kMostTexts);
  for (const JsonNode* item = value.node.first; item != nullptr; item = item->next) {
    std::string text;
    const Value entry{*item, fmt::format("{}[{}]", value.where, out.size())};
    if (auto read = read_line(entry, text); !read) return read;
    if (std::ranges::find(out, text) != out.end())
      return refuse(entry.where, "stands in the list twice");
    out.push_back(std::move(text));
  }
  return {};
}

bool is_variable_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::ranges::all_of(text, [](char c) { return is_ascii_letter_or_digit(c) || c == '_'; });
}

bool contains_name(const Headers& headers, std::string_view name) {
  return std::ranges::any_of(
      headers, [&](const auto& header) { return equal_ignoring_case(header.first, name); });
}

Result<void> check_header_name(const std::string& where, std::string_view name,
                               const HttpToolDefinition& tool) {
  if (!is_header_name(name) || name.size() > kMostShownBytes)
    return refuse(where, "is not the name of an HTTP header");
  const auto own = [&](std::string_view word) { return equal_ignoring_case(name, word); };
  if (std::ranges::any_of(kOwnHeaders, own))
    return refuse(where, "cannot be set: the gateway writes this header itself");
  if (contains_name(tool.headers, name) || contains_name(tool.headers_env, name))
    return refuse(where, "stands there twice");
  return {};
}

// `Check` says what is wrong with a value, which is never repeated: it may be a secret.
template <auto Member, auto Check>
Result<void> read_headers(const Value& value, HttpToolDefinition& tool) {
  if (!value.node.is(Kind::Object) || value.node.size > kMostTexts)
    return refuse(value.where, "must be an object with at most {} headers", kMostTexts);
  for (const JsonNode* item = value.node.first; item != nullptr; item = item->next) {
    const std::string where = fmt::format("{}.{}", value.where, shown(item->key));
    if (auto checked = check_header_name(where, item->key, tool); !checked) return checked;
    const std::string_view fault = item->is(Kind::String) ? Check(item->text) : "must be a text";
    if (!fault.empty()) return refuse(where, "{}", fault);
    (tool.*Member).emplace_back(item->key, item->text);
  }
  return {};
}

std::string_view literal_fault(std::string_view text) {
  return is_header_value(text) ? "" : "must be printable ASCII without line breaks";
}

std::string_view variable_fault(std::string_view text) {
  return is_variable_name(text)
             ? ""
             : "must be the name of an environment variable, not the value itself";
}

template <auto Member>
Result<void> text(const Value& value, HttpToolDefinition& tool) {
  return read_text(value, tool.*Member);
}

template <auto Member>
Result<void> line(const Value& value, HttpToolDefinition& tool) {
  return read_line(value, tool.*Member);
}

template <auto Member>
Result<void> truth(const Value& value, HttpToolDefinition& tool) {
  return read_bool(value, tool.*Member);
}

template <auto Member>
Result<void> texts(const Value& value, HttpToolDefinition& tool) {
  return read_texts(value, tool.*Member);
}

template <auto Member>
Result<void> tool_name(const Value& value, HttpToolDefinition& tool) {
  if (!value.node.is(Kind::String) || !is_tool_name(value.node.text))
    return refuse(value.where, "must be 1 to {} letters, digits, '_' and '-'", kMostToolNameBytes);
  tool.*Member = value.node.text;
  return {};
}

Result<void> input_schema(const Value& value, HttpToolDefinition& tool) {
  if (!value.node.is(Kind::Object)) return refuse(value.where, "must be a JSON Schema: an object");
  const JsonNode* type = value.node.find("type");
  if (type != nullptr && type->is(Kind::String) && type->text != "object")
    return refuse(value.where, "must have the type \"object\": a tool takes named arguments");
  if (const auto compiled = compile_schema(value.node); !compiled)
    return fail_at(value.where + compiled.error().where, Errc::InvalidRequest,
                   "'{}' is not a JSON Schema: {}", value.where, compiled.error().message);
  tool.input_schema = write_json(value.node);
  return {};
}

Result<void> url(const Value& value, HttpToolDefinition& tool) {
  if (!value.node.is(Kind::String)) return refuse(value.where, "must be a text");
  const auto parsed = UrlTemplate::parse(value.node.text);
  if (!parsed) return refuse(value.where, "{}", parsed.error().message);
  tool.url = value.node.text;
  return {};
}

Result<void> method(const Value& value, HttpToolDefinition& tool) {
  if (!value.node.is(Kind::String) ||
      std::ranges::find(kMethods, value.node.text) == kMethods.end())
    return refuse(value.where, "must be one of {}", fmt::join(kMethods, ", "));
  tool.method = value.node.text;
  return {};
}

Result<void> timeout(const Value& value, HttpToolDefinition& tool) {
  const double seconds = value.node.is(Kind::Number) ? to_double(value.node.text) : 0;
  if (!(seconds >= kLeastSeconds && seconds <= kMostSeconds))
    return refuse(value.where, "must be a number of seconds from {} to {}", kLeastSeconds,
                  kMostSeconds);
  tool.timeout = std::chrono::milliseconds(std::llround(seconds * 1000));
  return {};
}

Result<void> max_response_bytes(const Value& value, HttpToolDefinition& tool) {
  const bool is_integer = value.node.is(Kind::Number) && is_whole(value.node.text);
  const double bytes = is_integer ? to_double(value.node.text) : 0;
  if (!(bytes >= 1 && bytes <= kMostResponseBytes))
    return refuse(value.where, "must be a whole number from 1 to {}", kMostResponseBytes);
  tool.max_response_bytes = static_cast<std::size_t>(bytes);
  return {};
}

struct Field {
  std::string_view name;
  Result<void> (*read)(const Value& value, HttpToolDefinition& tool);
};

constexpr std::array kFields{
    Field{"name", tool_name<&HttpToolDefinition::name>},
    Field{"description", text<&HttpToolDefinition::description>},
    Field{"inputSchema", input_schema},
    Field{"tags", texts<&HttpToolDefinition::tags>},
    Field{"url", url},
    Field{"method", method},
    Field{"headers", read_headers<&HttpToolDefinition::headers, literal_fault>},
    Field{"headersEnv", read_headers<&HttpToolDefinition::headers_env, variable_fault>},
    Field{"timeoutSeconds", timeout},
    Field{"toolReferenceName", tool_name<&HttpToolDefinition::reference_name>},
    Field{"displayName", line<&HttpToolDefinition::display_name>},
    Field{"userDescription", text<&HttpToolDefinition::user_description>},
    Field{"confirm", truth<&HttpToolDefinition::confirm>},
    Field{"confirmResults", truth<&HttpToolDefinition::confirm_results>},
    Field{"readOnly", truth<&HttpToolDefinition::read_only>},
    Field{"urlArguments", texts<&HttpToolDefinition::url_arguments>},
    Field{"fileArguments", texts<&HttpToolDefinition::file_arguments>},
    Field{"allowPrivateAddresses", truth<&HttpToolDefinition::allow_private_addresses>},
    Field{"maxResponseBytes", max_response_bytes},
};

std::unexpected<Error> refuse_unknown(std::string_view name) {
  Nearest nearest(name);
  for (const Field& field : kFields) nearest.consider(field.name);
  if (nearest.result().empty()) return refuse(shown(name), "is no field of a tool");
  return refuse(shown(name), "is no field of a tool; did you mean '{}'?", nearest.result());
}

// A name that the schema does not know is a mistake that would only show at the first call.
Result<void> check_names(const JsonNode& root, std::string_view where,
                         const std::vector<std::string>& names) {
  const JsonNode* schema = root.find("inputSchema");
  const JsonNode* properties = schema != nullptr ? schema->find("properties") : nullptr;
  if (properties == nullptr) return {};
  for (const std::string& name : names) {
    if (properties->find(name) != nullptr) continue;
    Nearest nearest(name);
    for (const JsonNode* item = properties->first; item != nullptr; item = item->next)
      nearest.consider(item->key);
    return refuse(
        std::string(where), "names the argument '{}', which is no property of inputSchema{}", name,
        nearest.result().empty() ? "" : fmt::format("; did you mean '{}'?", nearest.result()));
  }
  return {};
}

Result<void> check_whole(const JsonNode& root, const HttpToolDefinition& tool) {
  for (const std::string_view needed : {"name", "description", "url"})
    if (root.find(needed) == nullptr) return refuse(std::string(needed), "is missing");
  const auto in_url = UrlTemplate::parse(tool.url);
  if (!in_url) return refuse("url", "{}", in_url.error().message);
  if (auto checked = check_names(root, "url", in_url->names()); !checked) return checked;
  if (auto checked = check_names(root, "urlArguments", tool.url_arguments); !checked)
    return checked;
  return check_names(root, "fileArguments", tool.file_arguments);
}

// Writes members in the order they are added; what is empty is left out.
class ObjectWriter {
 public:
  void add_json(std::string_view name, std::string_view json) {
    if (json.empty()) return;
    out_ += out_.empty() ? '{' : ',';
    append_json_string(out_, name);
    out_.append(":").append(json);
  }
  void add(std::string_view name, std::string_view text) {
    if (!text.empty()) add_json(name, quoted(text));
  }
  void add(std::string_view name, bool truth) { add_json(name, truth ? "true" : "false"); }
  void add(std::string_view name, const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "[" : ",") + quoted(text);
    if (!list.empty()) add_json(name, list + "]");
  }
  void add(std::string_view name, const Headers& headers) {
    ObjectWriter object;
    for (const auto& [header, value] : headers) object.add_json(header, quoted(value));
    if (!headers.empty()) add_json(name, object.finish());
  }
  std::string finish() { return std::move(out_) + "}"; }

 private:
  static std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
  }

  std::string out_;
};

}  // namespace

bool is_header_value(std::string_view text) {
  if (text.starts_with(' ') || text.starts_with('\t')) return false;
  if (text.ends_with(' ') || text.ends_with('\t')) return false;
  return std::ranges::all_of(text, [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\t'; });
}

Result<HttpToolDefinition> parse_http_tool(std::string_view json) {
  JsonTree tree;
  const auto root = tree.parse(json, {.depth = 256, .bytes = kMostHttpToolBytes});
  if (!root) return std::unexpected(root.error());
  if (!(*root)->is(Kind::Object))
    return fail(Errc::InvalidRequest, "a tool is an object with name, description and url");
  if (tree.dropped_members())
    return fail(Errc::InvalidRequest, "an object of the tool has two members of the same name");
  HttpToolDefinition tool;
  for (const JsonNode* member = (*root)->first; member != nullptr; member = member->next) {
    const auto* field = std::ranges::find(kFields, member->key, &Field::name);
    if (field == kFields.end()) return refuse_unknown(member->key);
    if (auto read = field->read({*member, std::string(member->key)}, tool); !read)
      return std::unexpected(std::move(read.error()));
  }
  if (auto checked = check_whole(**root, tool); !checked)
    return std::unexpected(std::move(checked.error()));
  return tool;
}

std::string write_http_tool(const HttpToolDefinition& tool) {
  ObjectWriter object;
  object.add("name", tool.name);
  object.add("description", tool.description);
  object.add_json("inputSchema", tool.input_schema);
  object.add("tags", tool.tags);
  object.add("url", tool.url);
  object.add("method", tool.method);
  object.add("headers", tool.headers);
  object.add("headersEnv", tool.headers_env);
  const double seconds = static_cast<double>(tool.timeout.count()) / 1000;
  object.add_json("timeoutSeconds", javascript_text(seconds));
  object.add("toolReferenceName", tool.reference_name);
  object.add("displayName", tool.display_name);
  object.add("userDescription", tool.user_description);
  object.add("confirm", tool.confirm);
  if (tool.read_only) object.add("readOnly", true);
  object.add("confirmResults", tool.confirm_results);
  object.add("urlArguments", tool.url_arguments);
  object.add("fileArguments", tool.file_arguments);
  object.add("allowPrivateAddresses", tool.allow_private_addresses);
  object.add_json("maxResponseBytes", std::to_string(tool.max_response_bytes));
  return object.finish();
}

ToolData tool_data_of(const HttpToolDefinition& tool) {
  ToolData data;
  data.id = tool.name;
  data.reference_name = tool.reference_name;
  data.display_name = tool.display_name.empty() ? tool.name : tool.display_name;
  data.user_description = tool.user_description;
  data.model_description = tool.description;
  data.input_schema = tool.input_schema;
  data.tags = tool.tags;
  data.source.kind = ToolSource::Kind::Http;
  data.source.id = tool.url;
  data.implementation = sha256_hex(write_http_tool(tool));  // its headers may be secret
  data.always_display_input_output = true;
  data.can_request_pre_approval = tool.confirm;
  data.is_read_only = tool.read_only;
  data.can_request_post_approval = tool.confirm_results;
  return data;
}

}  // namespace toolgate
