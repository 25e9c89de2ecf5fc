// Schemas and inputs made to exhaust a validator: each ends with its named error.
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "schema/check.h"
#include "schema/compile.h"
#include "schema/program.h"

namespace toolgate {
namespace {

// How both checks end; they must agree.
std::string outcome(const Schema& schema, std::string_view input,
                    std::uint64_t steps = kDefaultCheckSteps) {
  JsonTree tree;
  const auto root = tree.parse(input);
  if (!root) return root.error().message;
  const auto fast = is_valid(schema, **root, steps);
  CheckOptions options;
  options.max_steps = steps;
  const auto thorough = check(schema, **root, tree, options);
  const auto name = [](const auto& result, bool valid) {
    if (result) return std::string(valid ? "valid" : "invalid");
    return result.error().message.substr(0, result.error().message.find(':'));
  };
  const std::string first = name(fast, fast && *fast);
  const std::string second = name(thorough, thorough && thorough->valid());
  return first == second ? first : first + " but " + second;
}

std::string outcome_of(std::string_view schema, std::string_view input,
                       std::uint64_t steps = kDefaultCheckSteps) {
  const auto compiled = compile_schema(schema);
  if (!compiled) {
    return compiled.error().message.substr(0, compiled.error().message.find(':'));
  }
  return outcome(**compiled, input, steps);
}

// `levels` definitions, each of which asks the next one twice.
std::string doubling(std::string_view combinator, int levels) {
  std::string text = R"({"$defs":{)";
  for (int i = 0; i < levels; ++i) {
    text += fmt::format(R"("d{}":{{"{}":[{{"$ref":"#/$defs/d{}"}},{{"$ref":"#/$defs/d{}"}}]}},)", i,
                        combinator, i + 1, i + 1);
  }
  return text + fmt::format(R"("d{}":{{"type":"number"}}}},"$ref":"#/$defs/d0"}})", levels);
}

TEST(SchemaBombs, ExponentialCombinatorsRunOutOfBudget) {
  EXPECT_EQ(outcome_of(doubling("allOf", 30), "1"), "check budget exceeded");
  EXPECT_EQ(outcome_of(doubling("anyOf", 30), R"("x")", 1'000'000), "check budget exceeded");
  EXPECT_EQ(outcome_of(doubling("oneOf", 30), R"("x")", 1'000'000), "check budget exceeded");
  EXPECT_EQ(outcome_of(doubling("allOf", 10), "1"), "valid");
}

TEST(SchemaBombs, NotDoesNotTurnExhaustionIntoSuccess) {
  const std::string text = doubling("allOf", 30);
  EXPECT_EQ(outcome_of(R"({"not":)" + text.substr(0, text.size() - 1) + R"(,"x":1}})", "1", 1000),
            "the reference '#/$defs/d1' leads nowhere");
  EXPECT_EQ(
      outcome_of(text.substr(0, text.size() - 1) + R"(,"not":{"$ref":"#/$defs/d0"}})", "1", 1000),
      "check budget exceeded");
  EXPECT_EQ(outcome_of(R"({"not":{"items":{"type":"number"}}})", "[1,2,3,4,5,6,7,8,9]", 3),
            "check budget exceeded");
}

TEST(SchemaBombs, ReferencesThatGoInCirclesEnd) {
  EXPECT_EQ(outcome_of(R"({"$ref":"#"})", "1"), "schema loop");
  EXPECT_EQ(outcome_of(R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},
                           "$ref":"#/$defs/a"})",
                       "{}"),
            "schema loop");
  EXPECT_EQ(outcome_of(R"({"not":{"$ref":"#"}})", "1"), "schema loop");
  EXPECT_EQ(
      outcome_of(R"({"$dynamicAnchor":"a","anyOf":[{"type":"string"},{"$dynamicRef":"#a"}]})", "1"),
      "schema loop");
  EXPECT_EQ(outcome_of(R"({"anyOf":[{"type":"string"},{"$ref":"#"}]})", R"("x")"), "valid");
}

TEST(SchemaBombs, RecursiveSchemasFollowTheInput) {
  const auto schema = *compile_schema(R"({"items":{"$ref":"#"},"type":"array"})");
  EXPECT_EQ(outcome(*schema, std::string(200, '[') + std::string(200, ']')), "valid");
  JsonTree tree;
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  EXPECT_FALSE(tree.parse(deep));
  const auto root = tree.parse(deep, {.depth = 20'000, .bytes = 1'000'000});
  ASSERT_TRUE(root);
  const auto result = is_valid(*schema, **root);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.starts_with("check depth exceeded")) << result.error().message;
  const auto report = check(*schema, **root, tree);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, result.error().message);
}

TEST(SchemaBombs, EveryWayDownEndsBeforeTheStackDoes) {
  const std::string arrays = std::string(5'000, '[') + std::string(5'000, ']');
  std::string objects;
  for (int i = 0; i < 5'000; ++i) objects += R"({"a":)";
  objects += "1" + std::string(5'000, '}');
  JsonTree tree;
  const JsonTree::Limits limits{.depth = 20'000, .bytes = 1'000'000};
  JsonNode& deep_array = **tree.parse(arrays, limits);
  JsonNode& deep_object = **tree.parse(objects, limits);
  for (
      const char* text :
      {R"({"anyOf":[{"items":{"$ref":"#"},"properties":{"a":{"$ref":"#"}}}]})",
       R"({"oneOf":[{"items":{"$ref":"#"},"additionalProperties":{"$ref":"#"}}]})",
       R"({"allOf":[{"contains":{"$ref":"#"},"patternProperties":{"a":{"$ref":"#"}}}]})",
       R"({"not":{"items":{"$ref":"#"},"properties":{"a":{"$ref":"#"}}}})",
       R"({"if":{"items":{"$ref":"#"},"properties":{"a":{"$ref":"#"}}},"then":true})",
       R"({"dependentSchemas":{"a":{"properties":{"a":{"$ref":"#"}}}},"prefixItems":[{"$ref":"#"}]})",
       R"({"$dynamicAnchor":"n","unevaluatedItems":{"$dynamicRef":"#n"},
            "unevaluatedProperties":{"$dynamicRef":"#n"}})"}) {
    const auto schema = *compile_schema(text);
    for (JsonNode* value : {&deep_array, &deep_object}) {
      const auto fast = is_valid(*schema, *value);
      const auto thorough = check(*schema, *value, tree);
      ASSERT_FALSE(fast) << text;
      ASSERT_FALSE(thorough) << text;
      EXPECT_TRUE(thorough.error().message.starts_with("check depth exceeded")) << text;
    }
  }
}

TEST(SchemaBombs, CatastrophicPatternsAreNamed) {
  const auto schema = *compile_schema(R"({"pattern":"(a+)+$"})");
  JsonTree tree;
  const std::string input = "\"" + std::string(5000, 'a') + "!\"";
  const auto result = is_valid(*schema, **tree.parse(input));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "pattern limit exceeded: '(a+)+$' takes too long on this input");
  EXPECT_EQ(outcome(*schema, input), "pattern limit exceeded");
  EXPECT_EQ(outcome(*schema, "\"aaa\""), "valid");
  EXPECT_EQ(outcome_of(R"({"patternProperties":{"(a+)+$":true},"additionalProperties":false})",
                       "{" + input + ":1}"),
            "pattern limit exceeded");
}

TEST(SchemaBombs, HugePatternsAreRefused) {
  const std::string huge(100'000, 'a');
  EXPECT_FALSE(compile_schema("{\"pattern\":\"" + huge + "\"}"));
  EXPECT_FALSE(compile_schema("{\"pattern\":\"((((a{1000}){1000}){1000}){1000})\"}"));
}

TEST(SchemaBombs, SchemasAreBounded) {
  const std::string deep = [] {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += R"({"not":)";
    return text + "true" + std::string(10'000, '}');
  }();
  EXPECT_NE(compile_schema(deep).error().message.find("nested too deeply"), std::string::npos);
  const std::string large = R"({"description":")" + std::string(50'000'000, 'x') + "\"}";
  EXPECT_TRUE(compile_schema(large).error().message.starts_with("schema is too large"));
  std::string many = R"({"anyOf":[true)";
  for (int i = 0; i < 1000; ++i) many += ",true";
  many += "]}";
  CompileOptions options;
  options.limits.nodes = 500;
  EXPECT_TRUE(
      compile_schema(many, options).error().message.starts_with("schema has too many parts"));
  JsonTree tree;
  options.limits = {};
  options.limits.depth = 4;
  const auto nested =
      compile_schema(**tree.parse(R"({"not":{"not":{"not":{"not":{}}}}})"), options);
  ASSERT_FALSE(nested);
  EXPECT_TRUE(nested.error().message.starts_with("schema is nested too deeply"));
}

TEST(SchemaBombs, LargeInputsStayLinear) {
  std::string unique = "[";
  for (int i = 0; i < 100'000; ++i) unique += std::to_string(i) + ",";
  unique.back() = ']';
  EXPECT_EQ(outcome_of(R"({"uniqueItems":true})", unique), "valid");
  EXPECT_EQ(outcome_of(R"({"const":[]})", unique), "invalid");
}

}  // namespace
}  // namespace toolgate
