// Documents that a `$ref` may name by URI. References lead only here and to the embedded
// metaschemas; nothing is fetched. Filled at start, then read by any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json_tree.h"

namespace toolgate {

class SchemaRegistry {
 public:
  // `uri` is absolute and has no fragment. The text is parsed at once; a second document of the
  // same URI replaces the first.
  Result<> add(std::string_view uri, std::string_view text);

  // The document's root, or null.
  const JsonNode* find(std::string_view uri) const;

 private:
  struct Document {
    std::string text;
    JsonTree tree;
    JsonNode* root = nullptr;
  };
  std::map<std::string, std::unique_ptr<Document>, std::less<>> documents_;
};

}  // namespace toolgate
