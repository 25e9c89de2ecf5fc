// See metaschema.h.
#include "schema/metaschema.h"

#include <cstdlib>
#include <map>
#include <mutex>

#include "schema/program.h"
#include "schema/uri.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

constexpr std::string_view kDraft7 = "http://json-schema.org/draft-07/schema";
constexpr std::string_view kDraft2020 = "https://json-schema.org/draft/2020-12/schema";

// Parsed on demand, kept for good: compiled schemas refer to them.
class Library {
 public:
  const JsonNode* find(std::string_view uri) {
    const std::string_view text = metaschema_text(uri);
    if (text.empty()) return nullptr;
    const std::lock_guard lock(mutex_);
    if (const auto known = roots_.find(uri); known != roots_.end()) return known->second;
    const auto root = tree_.parse(text);
    return roots_.emplace(uri, root ? *root : nullptr).first->second;
  }

 private:
  std::mutex mutex_;
  JsonTree tree_;
  std::map<std::string, const JsonNode*, std::less<>> roots_;
};

Library& library() {
  static auto* const made = new Library;  // never destroyed: other statics may still use it
  return *made;
}

std::shared_ptr<const Schema> compile_embedded(std::string_view uri) {
  auto schema = compile_schema(metaschema_text(uri));
  if (!schema) std::abort();  // the text is our own
  return *schema;
}

bool uses_draft7_lists(const JsonNode& node) {
  const JsonNode* items = node.find("items");
  if (items != nullptr && items->is(Kind::Array)) return true;
  for (const JsonNode* child = node.first; child; child = child->next) {
    if (uses_draft7_lists(*child)) return true;
  }
  return false;
}

}  // namespace

const JsonNode* find_metaschema(std::string_view uri) {
  return library().find(uri);
}

const Schema& draft7_metaschema() {
  static const auto schema = compile_embedded(kDraft7);
  return *schema;
}

const Schema& draft2020_metaschema() {
  static const auto schema = compile_embedded(kDraft2020);
  return *schema;
}

Dialect declared_dialect(const JsonNode& schema, Dialect otherwise) {
  const JsonNode* declared = schema.find("$schema");
  if (declared == nullptr || !declared->is(Kind::String)) return otherwise;
  std::string_view uri = split_fragment(declared->text).first;
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (uri.starts_with(scheme)) uri.remove_prefix(scheme.size());
  }
  // Neighbouring drafts are read as the nearest one known.
  for (const std::string_view old : {"draft-04", "draft-06", "draft-07"}) {
    if (uri == std::string("json-schema.org/").append(old).append("/schema"))
      return Dialect::Draft7;
  }
  for (const std::string_view recent : {"2019-09", "2020-12"}) {
    if (uri == std::string("json-schema.org/draft/").append(recent).append("/schema")) {
      return Dialect::Draft2020;
    }
  }
  return otherwise;
}

Result<CheckReport> check_schema(JsonNode& schema, JsonTree& tree, const CheckOptions& options,
                                 Dialect default_dialect) {
  Dialect dialect = declared_dialect(schema, default_dialect);
  if (dialect == Dialect::Mixed) {
    dialect = uses_draft7_lists(schema) ? Dialect::Draft7 : Dialect::Draft2020;
  }
  const Schema& metaschema =
      dialect == Dialect::Draft7 ? draft7_metaschema() : draft2020_metaschema();
  return check(metaschema, schema, tree, options);
}

}  // namespace toolgate
