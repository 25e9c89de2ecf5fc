// The compiler's state, shared by its parts: compile.cpp (documents and references) and
// compile_keywords.cpp (what each keyword becomes). Nobody else includes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/error.h"
#include "schema/compile.h"
#include "schema/keywords.h"
#include "schema/program.h"

namespace toolgate {

class Compiler {
 public:
  Compiler(const CompileOptions& options, Schema& out) : options_(options), out_(out) {}

  // `root` lives in the schema's own tree.
  Result<> run(const JsonNode& root);

 private:
  // A document or an embedded schema with an `$id`.
  struct Resource {
    std::string uri;
    const JsonNode* root = nullptr;
    SubschemaId subschema = 0;
    Dialect dialect = Dialect::Mixed;
    Vocabularies vocabularies;
  };
  // A rule whose target is not known yet.
  struct Pending {
    SubschemaId from = 0;
    Op op = Op::Ref;
    std::string_view reference;
  };
  // Of a node that pointers lead through.
  struct Children {
    KeyTable names;  // of an object, to indexes of `nodes`
    std::vector<const JsonNode*> nodes;
  };
  // The subschema being compiled.
  struct Draft {
    Draft(SubschemaId id_, const JsonNode& node_, std::uint32_t resource_)
        : id(id_), node(node_), resource(resource_) {}

    SubschemaId id;
    const JsonNode& node;
    std::uint32_t resource;
    bool has_reference = false;
    TypeSet types = 0;
    std::uint32_t object = kNone;
    const JsonNode* required = nullptr;
    boost::container::small_vector<Rule, 12> rules;
  };

  // compile.cpp
  SubschemaId walk(const JsonNode& node, const Origin& origin, std::uint32_t resource);
  void walk_object(Draft& draft);
  void finish(Draft& draft);
  std::uint32_t enter_resource(const JsonNode& node, SubschemaId id, std::uint32_t outer);
  std::uint32_t add_resource(std::string uri, const JsonNode& root, SubschemaId id, Dialect dialect,
                             const Vocabularies& vocabularies);
  void choose_dialect(const JsonNode& root, Dialect& dialect, Vocabularies& vocabularies) const;
  SubschemaId walk_document(const JsonNode& root, std::string uri, Dialect dialect,
                            Vocabularies vocabularies);
  void resolve_pending();
  void resolve(const Pending& pending);
  std::optional<std::uint32_t> find_resource(const std::string& uri, std::uint32_t from);
  SubschemaId find_pointer(std::uint32_t resource, const std::string& pointer);
  const JsonNode* step(const JsonNode& node, const std::string& name);
  bool count_uri(std::string_view uri, SubschemaId id, std::string_view keyword);
  void index_nodes();
  void bind(const Pending& pending, SubschemaId target, std::string_view anchor);

  // compile_keywords.cpp
  void apply(Draft& draft, Keyword keyword, const JsonNode& value);
  SubschemaId child(Draft& draft, const JsonNode& node, std::string_view keyword,
                    std::string_view name = {}, std::uint32_t index = kNone);
  void add_reference(Draft& draft, Op op, const JsonNode& value);
  void add_anchor(Draft& draft, const JsonNode& value, bool dynamic);
  void add_definitions(Draft& draft, const JsonNode& value);
  void add_types(Draft& draft, const JsonNode& value);
  void add_enum(Draft& draft, const JsonNode& value);
  void add_branches(Draft& draft, Op op, const JsonNode& value, std::string_view keyword);
  void add_condition(Draft& draft, const JsonNode& value);
  void add_number(Draft& draft, Op op, const JsonNode& value);
  void add_count(Draft& draft, Op op, const JsonNode& value);
  void add_pattern(Draft& draft, const JsonNode& value);
  void add_format(Draft& draft, const JsonNode& value);
  void add_items(Draft& draft, const JsonNode& value);
  void add_contains(Draft& draft, const JsonNode& value);
  void add_required(Draft& draft, const JsonNode& value);
  void add_properties(Draft& draft, const JsonNode& value);
  void add_pattern_properties(Draft& draft, const JsonNode& value);
  void add_additional(Draft& draft, const JsonNode& value);
  void add_dependencies(Draft& draft, Op op, const JsonNode& value);
  ObjectRules& object_rules(Draft& draft);
  void finish_object(Draft& draft);
  std::uint32_t make_pattern(Draft& draft, const JsonNode& at, std::string_view text);
  std::uint32_t count_of(Draft& draft, const JsonNode& value);
  bool expect(Draft& draft, const JsonNode& value, JsonNode::Kind kind, std::string_view shape);
  bool expect_names(Draft& draft, const JsonNode& value);

  // The first error stays. `below` is added to the subschema's place.
  template <class... Args>
  void refuse(SubschemaId id, std::string_view below, fmt::format_string<Args...> text,
              Args&&... args) {
    if (error_) return;
    std::string where = out_.location(id);
    if (!below.empty()) where += fmt::format("/{}", below);
    error_ = Error{Errc::InvalidRequest, fmt::format(text, std::forward<Args>(args)...),
                   std::move(where)};
  }
  bool failed() const { return error_.has_value(); }

  const CompileOptions& options_;
  Schema& out_;
  std::optional<Error> error_;
  std::vector<Resource> resources_;
  std::map<std::string, std::uint32_t, std::less<>> by_uri_;
  std::map<std::pair<std::uint32_t, std::string_view>, SubschemaId> anchors_;
  std::vector<Pending> pending_;
  std::unordered_map<const JsonNode*, SubschemaId>
      nodes_;  // filled when the first pointer needs it
  std::unordered_map<const JsonNode*, Children> children_;
  std::size_t indexed_ = 0;
  std::size_t uri_bytes_ = 0;
  std::size_t pattern_bytes_ = 0;
};

}  // namespace toolgate
