// Finds the message in whatever an upstream calls an error. models/openai and the codecs of answers
// call it.
#include "wire/openai_error.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::size_t kMaxMessageBytes = 2000;

// One line of valid UTF-8, not too long.
std::string tidy(std::string_view text) {
  std::string out = mend_utf8(text.substr(0, kMaxMessageBytes * 2));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  const std::size_t begin = std::min(out.find_first_not_of(' '), out.size());
  out.erase(0, begin);
  out.erase(out.find_last_not_of(' ') + 1);
  if (out.size() <= kMaxMessageBytes) return out;
  out.resize(kMaxMessageBytes);
  out.resize(out.size() - incomplete_utf8_tail(out));
  return out + "…";
}

std::string text_of(const json::value& value) {
  if (value.is_null()) return {};
  if (const json::string* text = value.if_string()) return tidy(*text);
  return tidy(write_json(value));
}

bool is_html(std::string_view body) {
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && body[begin] == '<';
}

// The title of an error page, else its text without the tags.
std::string html_text(std::string_view body) {
  body = body.substr(0, 64 << 10);
  const std::size_t title = body.find("<title>");
  const std::size_t title_end = body.find("</title>");
  if (title != std::string_view::npos && title_end != std::string_view::npos && title < title_end)
    return tidy(body.substr(title + 7, title_end - title - 7));
  std::string text;
  bool in_tag = false;
  for (const char c : body) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false;
  }
  return tidy(text);
}

// FastAPI's {"detail":[{"loc":[…],"msg":"…"}]}.
std::string detail_text(const json::value& detail) {
  const json::array* list = detail.if_array();
  if (list == nullptr || list->empty()) return text_of(detail);
  std::string text;
  for (const json::value& item : *list) {
    const json::value* message = find(item, "msg");
    if (!text.empty()) text += "; ";
    text += text_of(message != nullptr ? *message : item);
  }
  return tidy(text);
}

std::string message_in(const json::value& value) {
  if (value.is_string()) return text_of(value);
  for (const std::string_view key : {"message", "error_description", "msg", "title", "error"})
    if (const json::value* message = find(value, key); message != nullptr)
      if (std::string text = text_of(*message); !text.empty()) return text;
  if (const json::value* detail = find(value, "detail")) return detail_text(*detail);
  return {};
}

std::optional<std::string> optional_text(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  if (member == nullptr || member->is_null()) return std::nullopt;
  std::string text = text_of(*member);
  if (text.empty()) return std::nullopt;
  return text;
}

std::string_view type_for(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 429:
      return "rate_limit_error";
    default:
      return status < 500 ? "invalid_request_error" : "upstream_error";
  }
}

// {"error":…} with something in it.
const json::value* error_member(const json::value& root) {
  const json::value* error = find(root, "error");
  if (error == nullptr) return nullptr;
  if (const json::object* object = error->if_object()) return object->empty() ? nullptr : error;
  if (const json::string* text = error->if_string()) return text->empty() ? nullptr : error;
  return error->is_null() || error->is_bool() ? nullptr : error;
}

std::optional<int> failing_status(const json::value& object) {
  for (const std::string_view key : {"code", "status", "status_code"}) {
    const json::value* member = find(object, key);
    if (member == nullptr) continue;
    int status = 0;
    if (member->is_int64() && member->get_int64() < 1000) {
      status = static_cast<int>(member->get_int64());
    } else if (const json::string* text = member->if_string()) {
      std::from_chars(text->data(), text->data() + text->size(), status);
    }
    if (status >= 400 && status <= 599) return status;
  }
  return std::nullopt;
}

void complete_error(ErrorBody& out) {
  if (out.message.empty() || out.message == "{}" || out.message == "[]")
    out.message = fmt::format("the upstream answered with status {} and no message", out.status);
  if (out.type.empty()) out.type = type_for(out.status);
}

void read_json_error(const json::value& document, ErrorBody& out) {
  const json::value* root = &document;
  if (const json::array* list = root->if_array(); list != nullptr && !list->empty())
    root = &list->front();
  const json::value* error = find(*root, "error");
  const bool nested = error != nullptr && (error->is_object() || error->is_string());
  const json::value& source = nested ? *error : *root;
  out.message = message_in(source);
  if (out.message.empty() && nested) out.message = message_in(*root);
  if (out.message.empty()) out.message = text_of(document);
  out.param = optional_text(source, "param");
  out.code = optional_text(source, "code");
  if (const json::value* type = find(source, "type"); type != nullptr && type->is_string())
    out.type = text_of(*type);
}

}  // namespace

ErrorBody make_error_body(const Error& error) {
  const ErrorInfo& info = error_info(error.code);
  ErrorBody body{info.http_status, error.message, std::string(info.openai_type), std::nullopt,
                 std::string(info.name)};
  if (!error.where.empty()) body.param = error.where;
  return body;
}

ErrorBody read_upstream_error(int status, std::string_view body) {
  ErrorBody out;
  out.status = status;
  if (auto document = parse_json_any_utf8(body)) {
    read_json_error(*document, out);
  } else {
    out.message = is_html(body) ? html_text(body) : tidy(body);
  }
  complete_error(out);
  return out;
}

std::optional<ErrorBody> find_error_in_answer(const json::value& document) {
  const json::value* error = error_member(document);
  if (error == nullptr) {
    const json::value* object = find(document, "object");
    const bool called_error = object != nullptr && object->is_string() && *object == "error";
    const auto has_text = [&](std::string_view key) {
      const json::value* text = find(document, key);
      return text != nullptr && text->is_string();
    };
    const bool only_message =
        find(document, "choices") == nullptr && (has_text("message") || has_text("detail"));
    if (!called_error && !only_message) return std::nullopt;
  }
  ErrorBody out;
  out.status = 502;
  if (auto status = failing_status(document)) out.status = *status;
  if (error != nullptr)
    if (auto status = failing_status(*error)) out.status = *status;
  read_json_error(document, out);
  complete_error(out);
  return out;
}

std::string write_error_body(const ErrorBody& body) {
  const auto append_text = [](std::string& out, std::string_view text) {
    append_json_string(out, is_valid_utf8(text) ? text : mend_utf8(text));
  };
  const auto append_optional = [&](std::string& out, const std::optional<std::string>& text) {
    if (text)
      append_text(out, *text);
    else
      out += "null";
  };
  std::string out = R"({"error":{"message":)";
  append_text(out, body.message);
  out += R"(,"type":)";
  append_text(out, body.type);
  out += R"(,"param":)";
  append_optional(out, body.param);
  out += R"(,"code":)";
  append_optional(out, body.code);
  out += "}}";
  return out;
}

}  // namespace toolgate
