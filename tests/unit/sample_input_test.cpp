#include "cli/sample_input.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(SampleInput, HasWhatIsRequiredAndNothingElse) {
  EXPECT_EQ(sample_input(R"({"type":"object","required":["a","b","c","d","e","f"],"properties":{
              "a":{"type":"string"},"b":{"type":"integer","minimum":3},"c":{"type":"boolean"},
              "d":{"type":"array"},"e":{"type":["number","null"]},"f":{},"g":{"type":"string"}}})"),
            R"({"a":"","b":3,"c":false,"d":[],"e":0,"f":null})");
}

TEST(SampleInput, TakesDefaultsAndFirstChoices) {
  EXPECT_EQ(sample_input(R"({"required":["a","b","c","d"],"properties":{"a":{"default":"x"},
              "b":{"enum":["first","second"]},"c":{"const":7},"d":{"type":"string","minLength":2}}})"),
            R"({"a":"x","b":"first","c":7,"d":"xx"})");
}

TEST(SampleInput, ListsHaveAsManyItemsAsTheyMust) {
  constexpr std::string_view kSchema =
      R"({"required":["a","b"],"properties":{"a":{"type":"array","minItems":2,"items":{"type":"object",
         "required":["c"],"properties":{"c":{"type":"string"}}}},"b":{"type":"array","items":{"type":"string"}}}})";
  EXPECT_EQ(sample_input(kSchema), R"({"a":[{"c":""},{"c":""}],"b":[]})");
  EXPECT_EQ(sample_input(kSchema, SampleKind::Example), R"({"a":[{"c":"…"},{"c":"…"}],"b":["…"]})");
  EXPECT_EQ(sample_input(R"({"required":["a"],"properties":{"a":{"type":"string","minLength":1}}})",
                         SampleKind::Example),
            R"({"a":"…"})");
  EXPECT_LT(
      sample_input(R"({"required":["a"],"properties":{"a":{"type":"array","minItems":1000000}}})")
          .size(),
      100u);
}

TEST(SampleInput, GoesIntoObjectsAsFarAsIsSensible) {
  EXPECT_EQ(sample_input(R"({"required":["a"],"properties":{"a":{"type":"object","required":["b\""],
              "properties":{"b\"":{"type":"string"}}}}})"),
            R"({"a":{"b\"":""}})");
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 100; ++i)
    deep = R"({"type":"object","required":["a"],"properties":{"a":)" + deep + "}}";
  EXPECT_TRUE(sample_input(deep).ends_with("null}}}}}}}}}}}}}}}}"));
}

TEST(SampleInput, WithoutASchemaIsEmpty) {
  for (const char* schema : {"", "true", "{}", "[1]", R"({"required":"a"})", "{"})
    EXPECT_EQ(sample_input(schema), "{}") << schema;
}

TEST(SampleInput, IsBoundedWhateverTheSchemaAsksFor) {
  EXPECT_LT(
      sample_input(R"({"required":["a"],"properties":{"a":{"type":"string","minLength":1e9}}})")
          .size(),
      2'000u);
  EXPECT_LT(sample_input(
                R"({"required":["a"],"properties":{"a":{"type":"string","minLength":999999999}}})")
                .size(),
            2'000u);
}

}  // namespace
}  // namespace toolgate
