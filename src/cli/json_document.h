// A JSON text together with its tree, and short ways to members that may be missing: what commands
// read answers of a gateway with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/json_tree.h"

namespace toolgate {

class JsonDocument {
 public:
  static Result<JsonDocument> parse(std::string text) {
    JsonDocument document(std::move(text));
    auto root = document.tree_.parse(*document.text_);
    if (!root) return std::unexpected(std::move(root.error()));
    document.root_ = *root;
    return document;
  }

  const JsonNode& root() const { return *root_; }
  const std::string& text() const { return *text_; }

 private:
  explicit JsonDocument(std::string text)
      : text_(std::make_unique<const std::string>(std::move(text))) {}

  std::unique_ptr<const std::string> text_;  // the tree points into it
  JsonTree tree_;
  const JsonNode* root_ = nullptr;
};

// Each gives nothing (empty, 0, false) where there is no such member of that kind.
std::string text_of(const JsonNode& node, std::string_view key);
std::int64_t number_of(const JsonNode& node, std::string_view key);
double fraction_of(const JsonNode& node, std::string_view key);
bool truth_of(const JsonNode& node, std::string_view key);
// The member as JSON.
std::string json_of(const JsonNode& node, std::string_view key);

}  // namespace toolgate
