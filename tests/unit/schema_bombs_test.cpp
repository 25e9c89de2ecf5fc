// Schemas and inputs made to exhaust a validator: each ends with its named error.
#include <cstring>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/json_number.h"
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

// Enough for any single rule below, and soon spent.
constexpr std::uint64_t kFewSteps = 1'000'000;

// One short text after the other, each of which stays below the limit of a single match.
TEST(SchemaBombs, ManySlowMatchesAreOneSlowCheck) {
  const std::string item = "\"" + std::string(26, 'a') + "!\"";
  std::string input = "[" + item;
  for (int i = 0; i < 300; ++i) input += "," + item;
  input += "]";
  EXPECT_EQ(outcome_of(R"({"contains":{"pattern":"^(a|aa)+$"}})", "[" + item + "]"), "invalid");
  EXPECT_EQ(outcome_of(R"({"contains":{"pattern":"^(a|aa)+$"}})", input, kFewSteps),
            "pattern limit exceeded");
  EXPECT_EQ(outcome_of(R"({"not":{"contains":{"pattern":"^(a|aa)+$"}}})", input, kFewSteps),
            "pattern limit exceeded");
  std::string members = "{";
  for (int i = 0; i < 300; ++i) members += fmt::format("\"{}!{}\":1,", std::string(26, 'a'), i);
  members.back() = '}';
  EXPECT_EQ(outcome_of(R"({"patternProperties":{"^(a|aa)+$":false}})", members, kFewSteps),
            "pattern limit exceeded");
}

// Few units of PCRE2's match limit, each of which looks at the whole text.
TEST(SchemaBombs, SlowMatchesOfLongTextsEnd) {
  const std::string text = "\"" + std::string(1'000'000, 'a') + "!\"";
  EXPECT_EQ(outcome_of(R"({"pattern":"^(?:(?=a*)a)*$"})", text), "pattern limit exceeded");
  EXPECT_EQ(outcome_of(R"({"pattern":"^[a-z]*!$"})", text), "valid");
  EXPECT_EQ(outcome_of(R"({"pattern":"^[a-z]*$"})", text), "invalid");
}

// `branches` times the same subschema under anyOf.
std::string any_of(std::string_view subschema, int branches) {
  std::string text = fmt::format(R"({{"$defs":{{"s":{}}},"anyOf":[)", subschema);
  for (int i = 0; i < branches; ++i) text += R"({"$ref":"#/$defs/s"},)";
  text.back() = ']';
  return text + "}";
}

std::string list_of(std::string_view item, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text.append(item).append(",");
  text.back() = ']';
  return text;
}

TEST(SchemaBombs, FailingTypesAreNotFree) {
  const std::string number = "1." + std::string(1'000'000, '0') + "1";
  EXPECT_EQ(outcome_of(any_of(R"({"type":"integer"})", 1000), number, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(R"({"type":"integer"})", 10), number), "invalid");
  EXPECT_EQ(outcome_of(any_of(R"({"type":"string"})", 1000), "1", 1000), "check budget exceeded");
}

TEST(SchemaBombs, LongNumbersTakeSteps) {
  const std::string digits(100'000, '3');
  EXPECT_EQ(outcome_of(any_of(fmt::format(R"({{"minimum":9{}}})", digits), 2000), "1", kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(R"({"minimum":1e999999})", 2000), digits, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(fmt::format(R"({{"multipleOf":1{}}})", std::string(399, '7')), 10),
                       "1" + digits, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(R"({"minimum":3})", digits), "valid");
}

TEST(SchemaBombs, LongTextsTakeSteps) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "é";
  const std::string input = "\"" + text + "\"";
  EXPECT_EQ(outcome_of(any_of(R"({"maxLength":199999})", 1000), input, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(R"({"minLength":200001})", 1000), input, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(fmt::format(R"({{"const":"{}e "}})", text.substr(2)), 1000),
                       "\"" + text.substr(2) + "e!\"", kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(fmt::format(R"({{"enum":[1,"{}e "]}})", text.substr(2)), 1000),
                       "\"" + text.substr(2) + "e!\"", kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(R"({"enum":["1","2","3","4","5","6","7","8","9"]})", 1000), input,
                       kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(R"({"maxLength":200000,"minLength":200000})", input), "valid");
}

TEST(SchemaBombs, FormatsTakeSteps) {
  CompileOptions options;
  options.assert_formats = true;
  const auto ends = [&](std::string_view format, std::string_view text) {
    const auto schema =
        compile_schema(any_of(fmt::format(R"({{"format":"{}"}})", format), 1000), options);
    return outcome(**schema, fmt::format("\"{}\"", text), kFewSteps);
  };
  const std::string digits(200'000, '1');
  for (const char* format : {"duration", "uri", "email", "regex", "json-pointer"}) {
    EXPECT_EQ(ends(format, digits + " ("), "check budget exceeded") << format;
  }
  std::string stops;
  for (int i = 0; i < 100'000; ++i) stops += "\u3002";
  EXPECT_EQ(ends("idn-hostname", stops), "check budget exceeded");
  EXPECT_EQ(ends("date", "2020-02-30"), "invalid");
}

TEST(SchemaBombs, LargeValuesAreNotComparedForFree) {
  const std::string inner = list_of("1", 20'000);
  const std::string last = inner.substr(0, inner.size() - 2);
  EXPECT_EQ(outcome_of(any_of(fmt::format(R"({{"const":{}2]}})", last), 1000), inner, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(fmt::format(R"({{"enum":[{}2]]}})", last), 1000), inner, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(R"({"uniqueItems":true})", 1000), "[" + inner + "," + inner + "]",
                       kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(R"({"uniqueItems":true})", "[" + inner + "," + last + "2]]"), "valid");
}

TEST(SchemaBombs, LookingAtChildrenTakesSteps) {
  std::string object = "{";
  for (int i = 0; i < 20'000; ++i) object += fmt::format("\"k{}\":1,", i);
  object.back() = '}';
  const std::string array = list_of("1", 200'000);
  EXPECT_EQ(outcome_of(any_of(R"({"required":["x"]})", 10'000), object, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(any_of(R"({"items":true,"contains":false})", 5000), array, kFewSteps),
            "check budget exceeded");
  EXPECT_EQ(outcome_of(R"({"unevaluatedItems":false,)" +
                           any_of(R"({"items":true,"minItems":1})", 10'000).substr(1),
                       array, kFewSteps),
            "check budget exceeded");
}

TEST(SchemaBombs, DynamicReferencesTakeSteps) {
  // Each level of the input enters another resource; every reference asks all of them.
  std::string text = R"({"$id":"http://x/0","$dynamicAnchor":"n","$ref":"a0","$defs":{)";
  for (int i = 0; i < 100; ++i) {
    text += fmt::format(
        R"("d{0}":{{"$id":"a{0}","$dynamicAnchor":"m","items":{{"$ref":"a{1}"}}}},)", i, i + 1);
  }
  text += R"("last":{"$id":"a100","$dynamicAnchor":"n","items":{"allOf":[)";
  for (int i = 0; i < 100; ++i) text += R"({"$dynamicRef":"#e"},)";
  text.back() = ']';
  text += R"(},"$defs":{"e":{"$dynamicAnchor":"e"}}}}})";
  const std::string open(101, '[');
  const std::string close(101, ']');
  EXPECT_EQ(outcome_of(text, open + list_of("1", 100) + close), "valid");
  EXPECT_EQ(outcome_of(text, open + list_of("1", 100) + close, 100'000), "valid");
  const std::string wide = list_of("1", 5000);
  EXPECT_EQ(outcome_of(text, open + wide.substr(1, wide.size() - 2) + close, kFewSteps),
            "check budget exceeded");
}

TEST(SchemaBombs, ManyReferencesAreResolved) {
  std::string pointers = R"({"$defs":{)";
  for (int i = 0; i < 40'000; ++i) {
    pointers += fmt::format(R"("d{0}":{{"$dynamicAnchor":"n{0}"}},)", i);
  }
  pointers.back() = '}';
  pointers += R"(,"allOf":[)";
  for (int i = 0; i < 40'000; ++i) {
    pointers += fmt::format(R"({{"$ref":"#/$defs/d{0}"}},{{"$dynamicRef":"#n{0}"}},)", i);
  }
  pointers.back() = ']';
  EXPECT_EQ(outcome_of(pointers + "}", "1"), "valid");
}

TEST(SchemaBombs, IdentifiersDoNotOutgrowTheSchema) {
  std::string text = fmt::format(R"({{"$id":"http://x/{}/","$defs":{{)", std::string(200'000, 'a'));
  for (int i = 0; i < 2000; ++i) text += fmt::format(R"("d{0}":{{"$id":"b{0}"}},)", i);
  text.back() = '}';
  EXPECT_EQ(outcome_of(text + "}", "1"), "schema is too large");
}

TEST(SchemaBombs, PatternsDoNotOutgrowTheSchema) {
  std::string text = R"({"anyOf":[)";
  for (int i = 0; i < 2000; ++i) text += R"x({"pattern":"(?:(a|b)(c|d)*){900}"},)x";
  text.back() = ']';
  EXPECT_EQ(outcome_of(text + "}", "1"), "schema is too large");
}

std::size_t bytes_of(const CheckReport& report) {
  std::size_t bytes = 0;
  for (const Fault& fault : report.faults) {
    bytes += fault.path.size() + fault.schema_path.size() + fault.message.size() +
             fault.sentence.size() + fault.property.size();
  }
  for (const Repair& repair : report.repairs) {
    bytes += repair.path.size() + repair.from.size() + repair.to.size();
  }
  return bytes;
}

TEST(SchemaBombs, RepairsAreBoundedAndStillMade) {
  const auto schema = *compile_schema(R"({"additionalProperties":{"items":{"type":"number"}}})");
  CheckOptions options;
  options.coerce = true;
  for (const std::size_t key_size : {std::size_t{100'000}, 2 * kMostReportBytes}) {
    JsonTree tree;
    const std::string key(key_size, 'k');
    const std::string input = fmt::format(R"({{"{}":{}}})", key, list_of("\"1\"", 5000));
    JsonNode& root = **tree.parse(input);
    const auto report = check(*schema, root, tree, options);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->valid());
    EXPECT_EQ(write_json(root), fmt::format(R"({{"{}":{}}})", key, list_of("1", 5000)));
    EXPECT_FALSE(report->repairs.empty());
    EXPECT_LE(report->repairs.size(), options.max_repairs);
    EXPECT_EQ(report->repairs.size() + report->repairs_left_out, 5000U);
    EXPECT_LE(bytes_of(*report), kMostReportBytes + key_size);
    EXPECT_EQ(report->repairs[0].path.size() > 1000, key_size < kMostReportBytes);
    EXPECT_TRUE(report->repairs.back().path.starts_with("/kkk"));
    EXPECT_NE(report->repairs.back().path.find("…kkk"), std::string::npos);
  }
}

TEST(SchemaBombs, OrdinaryRepairsAreAllNoted) {
  const auto schema = *compile_schema(R"({"items":{"type":"number"}})");
  JsonTree tree;
  const std::string input = list_of("\"1\"", 1100);
  JsonNode& root = **tree.parse(input);
  CheckOptions options;
  options.coerce = true;
  const auto report = check(*schema, root, tree, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->repairs.size(), 1000U);
  EXPECT_EQ(report->repairs_left_out, 100U);
  EXPECT_EQ(report->repairs[999].path, "/999");
  EXPECT_GE(report->steps, 1100U);
}

TEST(SchemaBombs, FaultsOfLongNamesAreBounded) {
  const std::string name(300'000, 'k');
  const std::string input = fmt::format(R"({{"{}":{}}})", name, list_of("\"x\"", 200));
  for (const std::string& text :
       {std::string(R"({"additionalProperties":{"items":{"type":"number"}}})"),
        fmt::format(R"({{"properties":{{"{}":{{"items":{{"type":"number"}}}}}}}})", name),
        fmt::format(R"({{"allOf":{}}})", list_of(R"({"additionalProperties":false})", 200)),
        fmt::format(
            R"({{"allOf":{}}})",
            list_of(fmt::format(R"({{"required":["{}x"]}})", name.substr(0, 20'000)), 200))}) {
    const auto schema = *compile_schema(text);
    JsonTree tree;
    JsonNode& root = **tree.parse(input);
    const auto report = check(*schema, root, tree);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->faults.size(), 100U);
    EXPECT_EQ(report->left_out, 100U);
    EXPECT_LE(bytes_of(*report), 3 * kMostReportBytes / 2);
    for (const Fault& fault : report->faults) EXPECT_NE(fault.node, nullptr);
  }
}

TEST(SchemaBombs, FaultsOfLostBranchesTakeNoRoom) {
  const std::string name(200'000, 'k');
  const auto schema = *compile_schema(
      R"({"additionalProperties":{"items":{"anyOf":[{"type":"number"},{"type":"string"}]},
                                  "maxItems":1}})");
  JsonTree tree;
  const std::string input = fmt::format(R"({{"{}":{}}})", name, list_of("\"x\"", 50));
  const auto report = check(*schema, **tree.parse(input), tree);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->faults.size(), 1U);
  EXPECT_EQ(report->faults[0].path, "/" + name);
}

TEST(SchemaBombs, ParsedSchemasAreBoundedToo) {
  JsonTree tree;
  const std::string large = R"({"description":")" + std::string(9'000'000, 'x') + "\"}";
  const auto one_text = compile_schema(**tree.parse(large));
  ASSERT_FALSE(one_text);
  EXPECT_TRUE(one_text.error().message.starts_with("schema is too large"));
  CompileOptions options;
  options.limits.bytes = 10'000;
  const auto many_nodes =
      compile_schema(**tree.parse(R"({"x":)" + list_of("1", 9000) + "}"), options);
  ASSERT_FALSE(many_nodes);
  EXPECT_TRUE(many_nodes.error().message.starts_with("schema is too large"));
  EXPECT_TRUE(compile_schema(**tree.parse(R"({"x":)" + list_of("1", 1000) + "}"), options));
}

TEST(SchemaBombs, ATextThatIsTooLargeBreaksNowhere) {
  JsonTree tree;
  EXPECT_FALSE(tree.parse("[1,"));
  EXPECT_EQ(tree.fault_offset(), 3U);
  EXPECT_FALSE(tree.parse("[1,2]", {.depth = 256, .bytes = 4}));
  EXPECT_EQ(tree.fault_offset(), JsonNode::kNowhere);
}

// With a fixed factor these two collided whatever the seed was.
TEST(SchemaBombs, NamesDoNotCollideUnderEverySeed) {
  const auto name = [](std::uint64_t first, std::uint64_t second) {
    std::string out(16, '\0');
    std::memcpy(out.data(), &first, 8);
    std::memcpy(out.data() + 8, &second, 8);
    return out;
  };
  const std::string one = name(1, 2);
  const std::string other =
      name(1U | std::uint64_t{1} << 63U, 2U ^ (std::uint64_t{1} << 63U | std::uint64_t{1} << 34U));
  for (std::uint64_t seed = 3; seed < 100; ++seed) {
    const std::uint64_t spread = seed * 0x9E3779B97F4A7C15U;
    EXPECT_NE(hash_text(one, spread), hash_text(other, spread));
    EXPECT_NE(hash_text(one, spread), hash_text(one, spread + 2));
  }
  EXPECT_EQ(hash_seed(), hash_seed());
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
