// Faults and coercion. The expected lists of the first-fault mode were observed with Ajv 8.17.1.
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "schema/check.h"
#include "schema/metaschema.h"
#include "schema/program.h"

namespace toolgate {
namespace {

std::shared_ptr<const Schema> compiled(std::string_view text, CompileOptions options = {}) {
  auto schema = compile_schema(text, options);
  EXPECT_TRUE(schema) << schema.error().message;
  return *schema;
}

// One line per fault: path, keyword, message.
std::string faults_of(const CheckReport& report) {
  std::string out;
  for (const Fault& fault : report.faults) {
    out += fault.path + " " + std::string(fault.keyword) + ": " + fault.message + "\n";
  }
  return out;
}

std::string faults(std::string_view schema, std::string_view input, CheckOptions options = {}) {
  JsonTree tree;
  return faults_of(check(*compiled(schema), **tree.parse(input), tree, options).value());
}

std::string first_faults(std::string_view schema, std::string_view input) {
  CheckOptions options;
  options.first_only = true;
  return faults(schema, input, options);
}

// The value after coercion, or the first faults.
std::string coerced(std::string_view schema, std::string_view input) {
  JsonTree tree;
  JsonNode& value = **tree.parse(input);
  CheckOptions options;
  options.coerce = true;
  options.first_only = true;
  const auto report = check(*compiled(schema), value, tree, options).value();
  return report.valid() ? write_json(value) : faults_of(report);
}

TEST(SchemaCheck, ReportsEveryFaultWithItsPlace) {
  EXPECT_EQ(faults(R"({"type":"object","required":["x"],"additionalProperties":false,
                       "properties":{"a":{"type":"string"},"l":{"items":{"minimum":3}},
                                     "s/t~":{"maxLength":1}}})",
                   R"({"a":1,"l":[5,2,1],"s/t~":"ab","z":0})"),
            " required: must have required property 'x'\n"
            " additionalProperties: must NOT have additional properties\n"
            "/a type: must be string\n"
            "/l/1 minimum: must be >= 3\n"
            "/l/2 minimum: must be >= 3\n"
            "/s~1t~0 maxLength: must NOT have more than 1 characters\n");
}

TEST(SchemaCheck, TellsSchemaPathNodeTypesAndASentence) {
  JsonTree tree;
  JsonNode& value = **tree.parse(R"({"v":"x","n":{}})");
  const auto schema = compiled(R"({"$defs":{"o":{"type":["object","null"]}},
      "properties":{"v":{"$ref":"#/$defs/o"}},"additionalProperties":false})");
  const auto report = check(*schema, value, tree).value();
  ASSERT_EQ(report.faults.size(), 2U);
  EXPECT_EQ(report.faults[0].property, "n");
  EXPECT_EQ(report.faults[0].schema_path, "#/additionalProperties");
  EXPECT_EQ(report.faults[0].sentence, "must not have the property 'n'");
  EXPECT_EQ(report.faults[1].schema_path, "#/$defs/o/type");
  EXPECT_EQ(report.faults[1].message, "must be object,null");
  EXPECT_EQ(report.faults[1].sentence, "must be object,null, not string");
  EXPECT_EQ(report.faults[1].expected, kObjectType | kNullType);
  EXPECT_EQ(report.faults[1].node, value.find("v"));
}

TEST(SchemaCheck, ListsBranchesBeforeTheirCombinator) {
  const auto schema = R"({"anyOf":[{"type":"object","required":["a"]},{"type":"number"}]})";
  EXPECT_EQ(faults(schema, "{}"),
            " required: must have required property 'a'\n"
            " type: must be number\n"
            " anyOf: must match a schema in anyOf\n");
  EXPECT_EQ(first_faults(schema, "{}"), faults(schema, "{}"));
  EXPECT_EQ(faults(schema, "5"), "");
}

TEST(SchemaCheck, StopsWhereAjvStops) {
  EXPECT_EQ(first_faults(R"({"required":["a","b"]})", "{}"),
            " required: must have required property 'a'\n");
  EXPECT_EQ(first_faults(R"({"properties":{"b":{"type":"string"},"a":{"type":"string"}}})",
                         R"({"a":1,"b":2})"),
            "/b type: must be string\n");
  EXPECT_EQ(first_faults(R"({"allOf":[{"minimum":5},{"minimum":6}],"maximum":1})", "3"),
            " minimum: must be >= 5\n");
  EXPECT_EQ(
      first_faults(R"({"oneOf":[{"type":"string"},{"minimum":1},{"maximum":9},{"not":{}}]})", "5"),
      " type: must be string\n oneOf: must match exactly one schema in oneOf\n");
  EXPECT_EQ(
      first_faults(R"({"propertyNames":{"pattern":"^[a-z]+$"}})", R"({"A":1})"),
      " pattern: must match pattern \"^[a-z]+$\"\n propertyNames: property name must be valid\n");
  EXPECT_EQ(first_faults(R"({"contains":{"type":"number"}})", R"(["a","b"])"),
            " contains: must contain at least 1 valid item(s)\n");
  EXPECT_EQ(first_faults(R"({"anyOf":[{"contains":{"type":"number"}}]})", R"(["a"])"),
            "/0 type: must be number\n contains: must contain at least 1 valid item(s)\n"
            " anyOf: must match a schema in anyOf\n");
  EXPECT_EQ(first_faults(R"({"if":true,"then":{"required":["v"]}})", "{}"),
            " required: must have required property 'v'\n");
  EXPECT_EQ(first_faults(R"({"anyOf":[{"if":true,"then":{"required":["v"]}}]})", "{}"),
            " required: must have required property 'v'\n if: must match \"then\" schema\n"
            " anyOf: must match a schema in anyOf\n");
  EXPECT_EQ(first_faults(R"({"type":"object","enum":[1],"minProperties":1})", "2"),
            " enum: must be equal to one of the allowed values\n");
  EXPECT_EQ(first_faults(R"({"uniqueItems":true})", "[1,2,1,2]"),
            " uniqueItems: must NOT have duplicate items (items ## 1 and 3 are identical)\n");
  EXPECT_EQ(first_faults(R"({"dependentRequired":{"a":["b","c"]}})", R"({"a":1,"b":1})"),
            " dependentRequired: must have properties b, c when property a is present\n");
  EXPECT_EQ(first_faults(R"({"items":[{}],"additionalItems":false})", "[1,2]"),
            " additionalItems: must NOT have more than 1 items\n");
}

TEST(SchemaCheck, WritesLimitsLikeJavaScript) {
  EXPECT_EQ(first_faults(R"({"minimum":1.50})", "1"), " minimum: must be >= 1.5\n");
  EXPECT_EQ(first_faults(R"({"multipleOf":5.0})", "7"), " multipleOf: must be multiple of 5\n");
  EXPECT_EQ(first_faults(R"({"minLength":2.0})", R"("a")"),
            " minLength: must NOT have fewer than 2 characters\n");
}

TEST(SchemaCheck, BoundsTheListOfFaults) {
  std::string input = "[";
  for (int i = 0; i < 500; ++i) input += "1,";
  input.back() = ']';
  JsonTree tree;
  CheckOptions options;
  options.max_faults = 10;
  const auto report =
      check(*compiled(R"({"items":{"type":"string"}})"), **tree.parse(input), tree, options)
          .value();
  EXPECT_EQ(report.faults.size(), 10U);
  EXPECT_EQ(report.left_out, 490U);
}

TEST(SchemaCheck, CoercesLikeAjv) {
  struct Case {
    const char* type;
    const char* input;
    const char* expected;
  };
  const Case cases[] = {
      {R"("number")", R"("42")", "42"},
      {R"("number")", R"("1e3")", "1000"},
      {R"("number")", R"("0x10")", "16"},
      {R"("number")", R"(" 7 ")", "7"},
      {R"("number")", R"(" ")", "0"},
      {R"("number")", "true", "1"},
      {R"("number")", "null", "0"},
      {R"("number")", R"("")", " type: must be number\n"},
      {R"("number")", R"("abc")", " type: must be number\n"},
      {R"("number")", "[1]", " type: must be number\n"},
      {R"("integer")", R"("7.0")", "7"},
      {R"("integer")", R"("7.5")", " type: must be integer\n"},
      {R"("integer")", "7.5", " type: must be integer\n"},
      {R"("integer")", "7.0", "7.0"},
      {R"("integer")", R"("12345678901234567890")", "12345678901234567890"},
      {R"("boolean")", R"("true")", "true"},
      {R"("boolean")", "0", "false"},
      {R"("boolean")", "1.0", "true"},
      {R"("boolean")", "null", "false"},
      {R"("boolean")", R"("1")", " type: must be boolean\n"},
      {R"("boolean")", "2", " type: must be boolean\n"},
      {R"("string")", "5", R"("5")"},
      {R"("string")", "1.50", R"("1.5")"},
      {R"("string")", "1e21", R"("1e+21")"},
      {R"("string")", "12345678901234567890", R"("12345678901234567890")"},
      {R"("string")", "true", R"("true")"},
      {R"("string")", "null", R"("")"},
      {R"("string")", "{}", " type: must be string\n"},
      {R"("null")", R"("")", "null"},
      {R"("null")", "0", "null"},
      {R"("null")", "false", "null"},
      {R"("null")", R"("null")", " type: must be null\n"},
      {R"("array")", R"("x")", " type: must be array\n"},
      {R"(["number","string"])", "true", "1"},
      {R"(["string","number"])", "5", "5"},
      {R"(["number","null"])", R"("")", "null"},
      {R"(["object","null"])", R"("x")", " type: must be object,null\n"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(coerced(std::string(R"({"type":)") + each.type + "}", each.input), each.expected)
        << each.type << " " << each.input;
  }
  EXPECT_EQ(coerced(R"({"enum":[1,2]})", R"("1")"),
            " enum: must be equal to one of the allowed values\n");
  EXPECT_EQ(coerced(R"({"type":"string","enum":["1"]})", "1"), R"("1")");
  EXPECT_EQ(coerced(R"({"anyOf":[{"type":"object"},{"type":"number"}]})", R"("5")"), "5");
  EXPECT_EQ(coerced(R"({"type":"string","nullable":true})", "null"), "null");
}

TEST(SchemaCheck, ReportsEachRepair) {
  JsonTree tree;
  JsonNode& value = **tree.parse(R"({"a":{"b":["1.50"]},"c":7.10})");
  CheckOptions options;
  options.coerce = true;
  const auto report =
      check(*compiled(R"({"properties":{"a":{"properties":{"b":{"items":{"type":"number"}}}}}})"),
            value, tree, options)
          .value();
  ASSERT_EQ(report.repairs.size(), 1U);
  EXPECT_EQ(report.repairs[0].path, "/a/b/0");
  EXPECT_EQ(report.repairs[0].from, R"("1.50")");
  EXPECT_EQ(report.repairs[0].to, "1.5");
  EXPECT_EQ(report.repairs[0].reason, "the schema wants number");
  EXPECT_EQ(write_json(value), R"({"a":{"b":[1.5]},"c":7.10})");
}

TEST(SchemaCheck, LeavesMemberNamesAloneWhenCoercing) {
  EXPECT_EQ(coerced(R"({"propertyNames":{"type":"number"}})", R"({"5":1})"), R"({"5":1})");
}

TEST(SchemaCheck, AssertsFormatsOnRequest) {
  CompileOptions options;
  options.assert_formats = true;
  JsonTree tree;
  JsonNode& value = **tree.parse(R"("not a date")");
  const auto schema = compiled(R"({"format":"date"})", options);
  EXPECT_FALSE(is_valid(*schema, value).value());
  EXPECT_EQ(faults_of(check(*schema, value, tree).value()),
            " format: must match format \"date\"\n");
  EXPECT_TRUE(is_valid(*compiled(R"({"format":"date"})"), value).value());
  EXPECT_TRUE(is_valid(*compiled(R"({"format":"no such"})", options), value).value());
}

TEST(SchemaCheck, OneSchemaServesManyThreads) {
  const auto schema = compiled(R"({"items":{"pattern":"^(a|b)+c$"}})");
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      JsonTree tree;
      for (int i = 0; i < 200; ++i) {
        tree.clear();
        const auto good = is_valid(*schema, **tree.parse(R"(["abac","c1"])"));
        const auto bad = is_valid(*schema, **tree.parse(R"(["abac","bc"])"));
        if (*good || !*bad) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(SchemaCheck, HoldsSchemasAgainstTheirMetaschema) {
  JsonTree tree;
  const auto report = [&](std::string_view schema) {
    return faults_of(check_schema(**tree.parse(schema), tree).value());
  };
  EXPECT_EQ(report(R"({"type":"object","properties":{"a":{"type":"string"}}})"), "");
  EXPECT_EQ(report(R"({"items":[{"type":"string"}]})"), "");
  EXPECT_NE(report(R"({"type":"text"})").find("/type enum:"), std::string::npos);
  EXPECT_NE(report(R"({"$schema":"http://json-schema.org/draft-07/schema#","required":true})")
                .find("/required type: must be array"),
            std::string::npos);
  EXPECT_NE(report(R"({"properties":{"a":{"minLength":-1}}})").find("/properties/a/minLength"),
            std::string::npos);
}

TEST(SchemaCheck, MetaschemasDescribeThemselves) {
  JsonTree tree;
  for (const char* uri :
       {"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/meta/validation"}) {
    const auto text = metaschema_text(uri);
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(faults_of(check_schema(**tree.parse(text), tree).value()), "") << uri;
  }
}

}  // namespace
}  // namespace toolgate
