// From the answer of a tool behind a URL to what the model is told. http_tool.cpp calls it.
#pragma once

#include <string>
#include <string_view>

#include "toolgate/tool.h"

namespace toolgate {

// How much of the body of an error the model is shown.
inline constexpr std::size_t kShownErrorBytes = 2 << 10;

struct HttpToolAnswer {
  int status = 0;
  std::string content_type = {};  // as sent; empty: not said
  std::string body = {};
};

// Text and the like, so that a model can read it as it is.
bool is_text(const HttpToolAnswer& answer);

// 2xx: text is one part; JSON of the form {"content":[{"type":"text","text"}, {"type":"data" or
// "image","mimeType","data"}],"isError"?} is taken by its word; other types are data. All else says
// that the tool failed, with the status and the beginning of the body.
ToolResult map_http_answer(HttpToolAnswer answer);

}  // namespace toolgate
