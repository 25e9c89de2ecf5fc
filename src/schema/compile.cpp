// Compiling, the outer part: documents, resources with an `$id`, and references between them.
// What single keywords become is in compile_keywords.cpp.
#include "schema/compile.h"

#include <algorithm>
#include <tuple>

#include "base/json_pointer.h"
#include "base/percent.h"
#include "schema/compiler.h"
#include "schema/metaschema.h"
#include "schema/uri.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

// Up to here members are looked for one by one.
constexpr std::uint32_t kFewChildren = 16;

constexpr std::string_view kVocabularyPrefix = "https://json-schema.org/draft/2020-12/vocab/";

std::string_view text_of(const JsonNode* node) {
  return node != nullptr && node->is(Kind::String) ? node->text : std::string_view{};
}

// What a parsed schema would take as text, or a little less, while it is within the limits.
struct Extent {
  std::size_t bytes = 0;
  bool too_deep = false;
};

void measure(const JsonNode& node, std::size_t depth, const SchemaLimits& limits, Extent& out) {
  out.bytes += node.key.size() + node.text.size() + 2;
  const bool nests = node.is(JsonNode::Kind::Array) || node.is(JsonNode::Kind::Object);
  out.too_deep |= nests && depth > limits.depth;
  for (const JsonNode* child = node.first; child; child = child->next) {
    if (out.too_deep || out.bytes > limits.bytes) return;
    measure(*child, depth + 1, limits, out);
  }
}

Result<std::shared_ptr<const Schema>> compile_into(std::shared_ptr<Schema> schema,
                                                   const JsonNode& root,
                                                   const CompileOptions& options) {
  if (auto done = Compiler(options, *schema).run(root); !done) {
    return std::unexpected(done.error());
  }
  return schema;
}

}  // namespace

Result<> Compiler::run(const JsonNode& root) {
  Dialect dialect = options_.default_dialect;
  Vocabularies vocabularies;
  vocabularies.assert_formats = options_.assert_formats;
  choose_dialect(root, dialect, vocabularies);
  out_.dialect = dialect;
  walk_document(root, "", dialect, vocabularies);
  resolve_pending();
  if (error_) return std::unexpected(std::move(*error_));
  return {};
}

// `$schema` names one of the two dialects, or a registered metaschema with its `$vocabulary`.
void Compiler::choose_dialect(const JsonNode& root, Dialect& dialect,
                              Vocabularies& vocabularies) const {
  const auto declared = declared_dialect(root, Dialect::Mixed);
  if (declared != Dialect::Mixed) {
    dialect = declared;
    return;
  }
  const auto uri = split_fragment(text_of(root.find("$schema"))).first;
  if (uri.empty() || options_.registry == nullptr) return;
  const JsonNode* metaschema = options_.registry->find(uri);
  if (metaschema == nullptr) return;
  dialect = declared_dialect(*metaschema, dialect);
  const JsonNode* list = metaschema->find("$vocabulary");
  if (list == nullptr || !list->is(Kind::Object)) return;
  const auto uses = [&](std::string_view name) {
    return list->find(std::string(kVocabularyPrefix).append(name)) != nullptr;
  };
  vocabularies.applicator = uses("applicator");
  vocabularies.unevaluated = uses("unevaluated");
  vocabularies.validation = uses("validation");
  if (uses("format-assertion")) vocabularies.assert_formats = true;
}

std::uint32_t Compiler::add_resource(std::string uri, const JsonNode& root, SubschemaId id,
                                     Dialect dialect, const Vocabularies& vocabularies) {
  const auto index = static_cast<std::uint32_t>(resources_.size());
  by_uri_.emplace(uri, index);
  resources_.push_back({std::move(uri), &root, id, dialect, vocabularies});
  return index;
}

SubschemaId Compiler::walk_document(const JsonNode& root, std::string uri, Dialect dialect,
                                    Vocabularies vocabularies) {
  const auto id = static_cast<SubschemaId>(out_.subschemas.size());
  const auto resource = add_resource(std::move(uri), root, id, dialect, vocabularies);
  Origin origin;
  origin.node = &root;
  return walk(root, origin, resource);
}

// Every URI here repeats that of the document around it: together they could outgrow the schema.
bool Compiler::count_uri(std::string_view uri, SubschemaId id, std::string_view keyword) {
  constexpr std::size_t kUrisPerSchema = 8;
  uri_bytes_ += uri.size();
  if (uri_bytes_ / kUrisPerSchema <= options_.limits.bytes) return true;
  if (failed()) return false;
  error_ = Error{Errc::TooLarge, "schema is too large: its full identifiers outgrow it",
                 fmt::format("{}/{}", out_.location(id), keyword)};
  return false;
}

// The resource that `node` belongs to: a new one where it has an `$id`.
std::uint32_t Compiler::enter_resource(const JsonNode& node, SubschemaId id, std::uint32_t outer) {
  const auto text = text_of(node.find("$id"));
  if (text.empty()) return outer;
  const bool draft7 = resources_[outer].dialect == Dialect::Draft7;
  if (draft7 && node.find("$ref") != nullptr && resources_[outer].root != &node) return outer;
  const auto [uri, fragment] = split_fragment(text);
  if (!uri.empty()) {
    std::string full = resolve_uri(resources_[outer].uri, uri);
    if (!count_uri(full, id, "$id")) return outer;
    if (resources_[outer].root == &node) {  // a document that names itself
      by_uri_.emplace(full, outer);
      resources_[outer].uri = std::move(full);
    } else {
      Dialect dialect = resources_[outer].dialect;
      Vocabularies vocabularies = resources_[outer].vocabularies;
      choose_dialect(node, dialect, vocabularies);
      outer = add_resource(std::move(full), node, id, dialect, vocabularies);
    }
  }
  if (!fragment.empty()) anchors_.emplace(std::pair(outer, fragment), id);
  return outer;
}

SubschemaId Compiler::walk(const JsonNode& node, const Origin& origin, std::uint32_t resource) {
  const auto id = static_cast<SubschemaId>(out_.subschemas.size());
  out_.subschemas.emplace_back();
  out_.origins.push_back(origin);
  if (out_.subschemas.size() > options_.limits.nodes) {
    if (!error_) {
      error_ =
          Error{Errc::TooLarge,
                fmt::format("schema has too many parts: over {} subschemas", options_.limits.nodes),
                {}};
    }
    return id;
  }
  if (node.is(Kind::Bool)) {
    out_.subschemas[id].literal = node.truth ? Literal::True : Literal::False;
    out_.subschemas[id].resource = resource;
    return id;
  }
  if (!node.is(Kind::Object)) {
    refuse(id, {}, "a schema must be an object or a boolean");
    return id;
  }
  Draft draft(id, node, enter_resource(node, id, resource));
  walk_object(draft);
  finish(draft);
  return id;
}

void Compiler::walk_object(Draft& draft) {
  const Dialect dialect = resources_[draft.resource].dialect;
  const Vocabularies vocabularies = resources_[draft.resource].vocabularies;
  // In draft-07 a reference stands alone; definitions beside it may still be pointed at.
  const bool only_reference = dialect == Dialect::Draft7 && draft.node.find("$ref") != nullptr;
  for (const JsonNode* member = draft.node.first; member; member = member->next) {
    const Keyword keyword = find_keyword(member->key, dialect, vocabularies);
    if (keyword == Keyword::Unknown) continue;
    if (only_reference && keyword != Keyword::Ref && keyword != Keyword::Definitions) continue;
    out_.origins[draft.id].groups |= groups_used(keyword);
    apply(draft, keyword, *member);
    if (failed()) return;
  }
}

void Compiler::finish(Draft& draft) {
  if (failed()) return;
  if (draft.object != kNone) finish_object(draft);
  std::ranges::sort(draft.rules, {}, &Rule::op);
  Subschema& made = out_.subschemas[draft.id];
  made.types = draft.types;
  made.object = draft.object;
  made.resource = draft.resource;
  made.rules = static_cast<std::uint32_t>(out_.rules.size());
  for (const Rule& rule : draft.rules) {
    ++made.counts[static_cast<std::size_t>(group_of(rule.op))];
    if (rule.op == Op::UnevaluatedItems || rule.op == Op::UnevaluatedProperties) {
      made.tracks = true;
    }
  }
  out_.rules.insert(out_.rules.end(), draft.rules.begin(), draft.rules.end());
  Origin& origin = out_.origins[draft.id];
  origin.has_reference |= draft.has_reference;
  if (origin.has_reference && origin.parent != kNone) {
    out_.origins[origin.parent].has_reference = true;
  }
}

void Compiler::resolve_pending() {
  // Resolving may walk further documents, which adds to the list.
  for (std::size_t i = 0; i < pending_.size() && !failed(); ++i) {
    const Pending pending = pending_[i];
    resolve(pending);
  }
}

void Compiler::resolve(const Pending& pending) {
  std::uint32_t resource = out_.subschemas[pending.from].resource;
  std::string_view fragment = pending.reference;
  std::string full;
  if (fragment.starts_with('#')) {
    fragment.remove_prefix(1);
  } else {
    full = resolve_uri(resources_[resource].uri, pending.reference);
    if (!count_uri(full, pending.from, keyword_of(pending.op))) return;
    std::string_view uri;
    std::tie(uri, fragment) = split_fragment(full);
    const auto found = find_resource(std::string(uri), resource);
    if (!found) {
      refuse(pending.from, keyword_of(pending.op),
             "the reference '{}' leads to '{}', which is not a registered schema",
             pending.reference, uri);
      return;
    }
    resource = *found;
  }
  const std::string place = decode_percent(fragment);
  SubschemaId target = kNone;
  std::string_view anchor;
  if (place.empty()) {
    target = resources_[resource].subschema;
  } else if (place.starts_with('/')) {
    target = find_pointer(resource, place);
  } else if (const auto found = anchors_.find(std::pair(resource, std::string_view(place)));
             found != anchors_.end()) {
    target = found->second;
    anchor = found->first.second;
  }
  if (failed()) return;
  if (target == kNone) {
    refuse(pending.from, keyword_of(pending.op), "the reference '{}' leads nowhere",
           pending.reference);
    return;
  }
  bind(pending, target, anchor);
}

void Compiler::bind(const Pending& pending, SubschemaId target, std::string_view anchor) {
  const Subschema& from = out_.subschemas[pending.from];
  const auto first = out_.rules.begin() + from.rules;
  const auto rule = std::ranges::find(first, out_.rules.end(), pending.op, &Rule::op);
  rule->a = target;
  if (pending.op != Op::DynamicRef || anchor.empty()) return;
  const auto dynamic = out_.dynamic_anchors.find({out_.subschemas[target].resource, anchor});
  if (dynamic == out_.dynamic_anchors.end()) return;
  rule->b = static_cast<std::uint32_t>(out_.dynamic_names.size());
  out_.dynamic_names.push_back(dynamic->first.second);
}

std::optional<std::uint32_t> Compiler::find_resource(const std::string& uri, std::uint32_t from) {
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
  const JsonNode* root = find_metaschema(uri);
  if (root == nullptr && options_.registry != nullptr) {
    const JsonNode* registered = options_.registry->find(uri);
    if (registered != nullptr) root = out_.tree.clone(*registered);
  }
  if (root == nullptr) return std::nullopt;
  Dialect dialect = resources_[from].dialect;
  Vocabularies vocabularies;
  vocabularies.assert_formats = options_.assert_formats;
  choose_dialect(*root, dialect, vocabularies);
  const auto index = static_cast<std::uint32_t>(resources_.size());
  walk_document(*root, uri, dialect, vocabularies);
  return index;
}

void Compiler::index_nodes() {
  for (; indexed_ < out_.origins.size(); ++indexed_) {
    nodes_.emplace(out_.origins[indexed_].node, static_cast<SubschemaId>(indexed_));
  }
}

const JsonNode* Compiler::step(const JsonNode& node, const std::string& name) {
  const bool array = node.is(Kind::Array);
  if (!array && !node.is(Kind::Object)) return nullptr;
  if (!array && node.size <= kFewChildren) return node.find(name);
  Children& children = children_[&node];
  if (children.nodes.empty()) {
    children.nodes.reserve(node.size);
    if (!array) children.names.reserve(node.size);
    for (const JsonNode* child = node.first; child; child = child->next) {
      if (!array) {
        children.names.add(child->key, static_cast<std::uint32_t>(children.nodes.size()));
      }
      children.nodes.push_back(child);
    }
  }
  std::size_t index = KeyTable::kMissing;
  if (!array) {
    index = children.names.find(name);
  } else if (!name.empty() && name.size() <= 9 &&
             name.find_first_not_of("0123456789") == name.npos) {
    index = std::stoul(name);
  }
  return index < children.nodes.size() ? children.nodes[index] : nullptr;
}

// The subschema at a JSON pointer; compiled now where no keyword has led there.
SubschemaId Compiler::find_pointer(std::uint32_t resource, const std::string& pointer) {
  index_nodes();
  const JsonNode* node = resources_[resource].root;
  std::string_view rest = pointer;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto token = rest.substr(0, rest.find('/'));
    rest.remove_prefix(token.size());
    node = step(*node, unescape_pointer_step(token));
    if (node == nullptr) return kNone;
    if (const auto known = nodes_.find(node); known != nodes_.end()) {
      resource = out_.subschemas[known->second].resource;
    }
  }
  if (const auto known = nodes_.find(node); known != nodes_.end()) return known->second;
  Origin origin;
  origin.node = node;
  origin.keyword = out_.tree.keep("#" + pointer);
  origin.is_pointer = true;
  return walk(*node, origin, resource);
}

Result<std::shared_ptr<const Schema>> compile_schema(const JsonNode& root,
                                                     const CompileOptions& options) {
  Extent extent;
  measure(root, 1, options.limits, extent);
  if (extent.too_deep) {
    return fail(Errc::TooLarge, "schema is nested too deeply: over {} levels",
                options.limits.depth);
  }
  if (extent.bytes > options.limits.bytes) {
    return fail(Errc::TooLarge, "schema is too large: over the limit of {} bytes",
                options.limits.bytes);
  }
  auto schema = std::make_shared<Schema>();
  const JsonNode& copy = *schema->tree.clone(root);
  return compile_into(std::move(schema), copy, options);
}

Result<std::shared_ptr<const Schema>> compile_schema(std::string_view text,
                                                     const CompileOptions& options) {
  if (text.size() > options.limits.bytes) {
    return fail(Errc::TooLarge, "schema is too large: {} bytes are over the limit of {}",
                text.size(), options.limits.bytes);
  }
  auto schema = std::make_shared<Schema>();
  schema->text = text;
  auto root = schema->tree.parse(schema->text,
                                 {.depth = options.limits.depth, .bytes = options.limits.bytes});
  if (!root) return std::unexpected(root.error());
  return compile_into(std::move(schema), **root, options);
}

}  // namespace toolgate
