// Bodies of chat requests for tests, and the upstream's body in one piece.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/openai_chat.h"

namespace toolgate {

inline constexpr std::string_view kUser = R"({"role":"user","content":"hi"})";

inline std::string with(std::string_view members) {
  return fmt::format(R"({{"messages":[{}],{}}})", kUser, members);
}

inline std::string with_messages(std::string_view messages) {
  return fmt::format(R"({{"messages":[{}]}})", messages);
}

inline std::string with_tools(std::string_view tools) {
  return with(fmt::format(R"("tools":[{}])", tools));
}

inline std::string tool(std::string_view name) {
  return fmt::format(R"({{"type":"function","function":{{"name":"{}"}}}})", name);
}

inline std::string join(const UpstreamBody& body) {
  std::string out;
  for (const auto slice : body.slices) out += slice;
  EXPECT_EQ(out.size(), body.size);
  return out;
}

}  // namespace toolgate
