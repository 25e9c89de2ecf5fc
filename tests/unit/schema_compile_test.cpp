#include <string>

#include <gtest/gtest.h>

#include "schema/check.h"
#include "schema/compile.h"
#include "schema/program.h"
#include "schema/schema_cache.h"
#include "schema/uri.h"

namespace toolgate {
namespace {

// "where: message" of a schema that must not compile.
std::string refusal(std::string_view text) {
  const auto schema = compile_schema(text);
  return schema ? "compiles" : schema.error().where + ": " + schema.error().message;
}

TEST(SchemaCompile, RefusesWithPlaceAndReason) {
  EXPECT_EQ(refusal("5"), "#: a schema must be an object or a boolean");
  EXPECT_EQ(refusal(R"({"properties":{"a/b":{"type":"text"}}})"),
            "#/properties/a~1b/type: \"text\" is not a type");
  EXPECT_EQ(refusal(R"({"type":[]})"), "#/type: [] is not a type");
  EXPECT_EQ(refusal(R"({"anyOf":[{},{"pattern":"["}]})"),
            "#/anyOf/1/pattern: '[' is not a regular expression: unterminated character class");
  EXPECT_EQ(refusal(R"({"items":{"$ref":"#/definitions/None"}})"),
            "#/items/$ref: the reference '#/definitions/None' leads nowhere");
  EXPECT_EQ(refusal(R"({"$ref":"http://example.test/other.json"})"),
            "#/$ref: the reference 'http://example.test/other.json' leads to "
            "'http://example.test/other.json', which is not a registered schema");
  EXPECT_EQ(refusal(R"({"required":true})"),
            "#/required: 'required' must be a list of property names");
  EXPECT_EQ(refusal(R"({"required":[1]})"), "#/required: 'required' must hold only property names");
  EXPECT_EQ(refusal(R"({"minLength":-1})"),
            "#/minLength: 'minLength' must be a whole number of at least 0");
  EXPECT_EQ(refusal(R"({"multipleOf":0})"), "#/multipleOf: 'multipleOf' must be over 0");
  EXPECT_EQ(
      refusal(R"({"exclusiveMinimum":true})"),
      "#/exclusiveMinimum: 'exclusiveMinimum' must be a number; the boolean form is draft-04's");
  EXPECT_EQ(refusal(R"({"anyOf":[]})"), "#/anyOf: 'anyOf' must be a list of at least one schema");
  EXPECT_EQ(refusal(R"({"properties":[]})"),
            "#/properties: 'properties' must be an object of schemas");
  EXPECT_EQ(refusal(R"({"properties":{"a":null}})"),
            "#/properties/a: a schema must be an object or a boolean");
  EXPECT_EQ(refusal(R"({"enum":"a"})"), "#/enum: 'enum' must be a list");
  EXPECT_TRUE(refusal("{").starts_with(": not valid JSON"));
}

TEST(SchemaCompile, AcceptsWhatAddsNothing) {
  for (const char* text :
       {"{}", "true", R"({"format":"no such"})", R"({"example":1,"$comment":"x"})",
        R"({"$schema":"http://example.test/unknown"})", R"({"enum":[]})",
        R"({"$defs":{"unused":{"$ref":"#"}}})", R"({"maxLength":2.0})"}) {
    EXPECT_EQ(refusal(text), "compiles") << text;
  }
}

TEST(SchemaCompile, FollowsOnlyRegisteredDocuments) {
  SchemaRegistry registry;
  ASSERT_TRUE(registry.add("http://example.test/types.json",
                           R"({"$defs":{"word":{"$anchor":"word","type":"string"}},
                               "properties":{"self":{"$ref":"types.json#word"}}})"));
  EXPECT_FALSE(registry.add("http://example.test/broken.json", "{"));
  CompileOptions options;
  options.registry = &registry;
  const auto schema = compile_schema(
      R"({"$id":"http://example.test/main.json","properties":{"a":{"$ref":"types.json#/$defs/word"},
          "b":{"$ref":"types.json"}}})",
      options);
  ASSERT_TRUE(schema) << schema.error().message;
  JsonTree tree;
  EXPECT_TRUE(is_valid(**schema, **tree.parse(R"({"a":"x","b":{"self":"y"}})")).value());
  EXPECT_FALSE(is_valid(**schema, **tree.parse(R"({"a":1})")).value());
  EXPECT_FALSE(is_valid(**schema, **tree.parse(R"({"b":{"self":1}})")).value());
}

TEST(SchemaCompile, MayReferToMetaschemas) {
  const auto schema = compile_schema(R"({"$ref":"http://json-schema.org/draft-07/schema#"})");
  ASSERT_TRUE(schema) << schema.error().message;
  JsonTree tree;
  EXPECT_TRUE(is_valid(**schema, **tree.parse(R"({"type":"string"})")).value());
  EXPECT_FALSE(is_valid(**schema, **tree.parse(R"({"type":"text"})")).value());
}

TEST(SchemaCompile, OutlivesTheTextAndTheRegistry) {
  std::shared_ptr<const Schema> schema;
  {
    auto registry = std::make_unique<SchemaRegistry>();
    ASSERT_TRUE(registry->add("http://example.test/a", R"({"enum":["a fairly long value", "b"]})"));
    CompileOptions options;
    options.registry = registry.get();
    std::string text = R"({"properties":{"a fairly long name":{"$ref":"http://example.test/a"}}})";
    JsonTree tree;
    schema = *compile_schema(**tree.parse(text), options);
    text.assign(text.size(), 'x');
  }
  JsonTree tree;
  EXPECT_TRUE(
      is_valid(*schema, **tree.parse(R"({"a fairly long name":"a fairly long value"})")).value());
  EXPECT_FALSE(is_valid(*schema, **tree.parse(R"({"a fairly long name":"c"})")).value());
}

TEST(SchemaUri, ResolvesReferences) {
  const char* base = "http://a/b/c/d;p?q";
  const std::pair<const char*, const char*> cases[] = {
      {"g", "http://a/b/c/g"},      {"./g", "http://a/b/c/g"},
      {"/g", "http://a/g"},         {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"}, {"#s", "http://a/b/c/d;p?q#s"},
      {"", "http://a/b/c/d;p?q"},   {"..", "http://a/b/"},
      {"../../../g", "http://a/g"}, {"g/./h", "http://a/b/c/g/h"},
      {"urn:x:y", "urn:x:y"},       {"g#s/../x", "http://a/b/c/g#s/../x"},
  };
  for (const auto& [reference, expected] : cases) {
    EXPECT_EQ(resolve_uri(base, reference), expected) << reference;
  }
}

TEST(SchemaCache, CompilesEachTextOnce) {
  SchemaCache cache(2);
  const auto first = cache.get(R"({"type":"string"})");
  const auto again = cache.get(R"({"type":"string"})");
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(cache.hits(), 1U);
  EXPECT_EQ(cache.misses(), 1U);
}

TEST(SchemaCache, ForgetsTheLeastRecentlyUsed) {
  SchemaCache cache(2);
  const auto a = *cache.get(R"({"minimum":1})");
  (void)cache.get(R"({"minimum":2})");
  (void)cache.get(R"({"minimum":1})");
  (void)cache.get(R"({"minimum":3})");
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(*cache.get(R"({"minimum":1})"), a);
  const auto misses = cache.misses();
  (void)cache.get(R"({"minimum":2})");
  EXPECT_EQ(cache.misses(), misses + 1);
}

TEST(SchemaCache, BoundsItsBytes) {
  SchemaCache cache(1000);
  const std::string filler(7 << 20, 'x');
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(cache.get(R"({"maximum":)" + std::to_string(i) + R"(,"title":")" + filler + "\"}"));
  }
  EXPECT_EQ(cache.size(), 4U);
}

TEST(SchemaCache, RemembersRefusals) {
  SchemaCache cache;
  EXPECT_FALSE(cache.get(R"({"type":"text"})"));
  EXPECT_FALSE(cache.get(R"({"type":"text"})"));
  EXPECT_EQ(cache.hits(), 1U);
}

}  // namespace
}  // namespace toolgate
