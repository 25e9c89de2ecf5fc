// What is said about a tool behind an HTTP URL when it is registered: POST /v1/tools sends it as
// JSON, and the store keeps it so. http_tool.h runs such a tool.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolgate/error.h"
#include "toolgate/tool.h"

namespace toolgate {

inline constexpr std::size_t kMostHttpToolBytes = std::size_t{1} << 20;

struct HttpToolDefinition {
  using Headers = std::vector<std::pair<std::string, std::string>>;

  std::string name = {};
  std::string description = {};
  std::string input_schema = {};  // JSON; empty: the tool takes anything
  std::vector<std::string> tags = {};
  std::string url = {};  // may hold {names} of arguments: url_template.h
  // GET and DELETE put arguments that have no place in the URL into the query, the others into a
  // JSON body.
  std::string method = "POST";
  Headers headers = {};      // names and values
  Headers headers_env = {};  // names, and environment variables that hold the values
  std::chrono::milliseconds timeout{30'000};
  std::string reference_name = {};
  std::string display_name = {};
  std::string user_description = {};
  bool confirm = true;           // a person is asked before it is called
  bool read_only = false;        // it changes nothing: ToolData::is_read_only
  bool confirm_results = false;  // a person sees the result before the model does
  // Arguments that hold URLs the tool would fetch, and files it would change.
  std::vector<std::string> url_arguments = {};
  std::vector<std::string> file_arguments = {};
  bool allow_private_addresses = false;
  std::size_t max_response_bytes = std::size_t{8} << 20;

  bool operator==(const HttpToolDefinition&) const = default;
};

// Strict: a field that is unknown or wrong refuses the whole, and `where` names it.
Result<HttpToolDefinition> parse_http_tool(std::string_view json);

// Compact JSON with all fields in one order, which parse_http_tool() reads back the same.
std::string write_http_tool(const HttpToolDefinition& definition);

ToolData tool_data_of(const HttpToolDefinition& definition);

// What can follow a field's colon: printable ASCII and, within, spaces and tabs.
bool is_header_value(std::string_view text);

}  // namespace toolgate
