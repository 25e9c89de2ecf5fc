// The URL of a tool: "https://host/users/{id}?part={part}", whose {names} stand for arguments of a
// call. http_tool.cpp fills it, http_tool_definition.cpp checks it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_tree.h"
#include "net/http_url.h"

namespace toolgate {

class UrlTemplate {
 public:
  // The host must stand there; names are for path and query. The error is a reason to be put behind
  // the field's name; it never repeats the URL.
  static Result<UrlTemplate> parse(std::string_view url);

  const UpstreamAddress& origin() const { return origin_; }
  // In their order; one that stands twice is there twice.
  const std::vector<std::string>& names() const { return names_; }
  bool uses(std::string_view name) const;

  // `arguments` is an object. Values are escaped, so that none can end a part of the path or add
  // one. A part of the query whose argument is not there is left out; of a path, that is an error.
  // `rest_in_query` adds all arguments that have no place in the URL.
  Result<HttpUrl> fill(const JsonNode& arguments, bool rest_in_query) const;

 private:
  struct Piece {
    bool is_name = false;
    std::string text;
  };
  using Pieces = std::vector<Piece>;

  Result<Pieces> read_pieces(std::string_view text);
  Result<std::string> fill_path(const JsonNode& arguments) const;

  UpstreamAddress origin_;
  Pieces path_;
  std::vector<Pieces> query_;  // what '&' separates
  std::vector<std::string> names_;
};

}  // namespace toolgate
