// The JSON that a tool behind a URL is registered with.
#include "hosts/http_tool_definition.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

constexpr std::string_view kLeast =
    R"("name":"t","description":"d","url":"https://a.example/{id}")";

std::string with(std::string_view more) {
  return fmt::format("{{{},{}}}", kLeast, more);
}

// The JSON of a tool whose field has this value.
std::string with_field(std::string_view field, std::string_view value) {
  std::string json = "{";
  for (const auto& [name, usual] : {std::pair<std::string_view, std::string_view>{"name", "\"t\""},
                                    {"description", "\"d\""},
                                    {"url", "\"https://a.example/\""}})
    if (name != field) json += fmt::format("\"{}\":{},", name, usual);
  return json + fmt::format("\"{}\":{}}}", field, value);
}

Error error_of(std::string_view json) {
  const auto parsed = parse_http_tool(json);
  return parsed ? Error{Errc::Internal, "it was accepted", "it was accepted"} : parsed.error();
}

constexpr std::string_view kEverything =
    R"({"name":"get-weather_2","description":"Says\nthe weather",
  "inputSchema":{"type":"object","properties":{"city":{"type":"string","maxLength":1e2},"page":{},
  "file":{}},"required":["city"]},"tags":["weather","net"],"url":"https://a.example:8443/w/{city}?p={page}",
  "method":"PUT","headers":{"Accept":"application/json","X-Empty":""},
  "headersEnv":{"Authorization":"WEATHER_KEY"},"timeoutSeconds":1.5,"toolReferenceName":"weather",
  "displayName":"Weather","userDescription":"For people","confirm":false,"confirmResults":true,
  "urlArguments":["page"],"fileArguments":["file"],"allowPrivateAddresses":true,
  "maxResponseBytes":1000})";

TEST(HttpToolDefinition, ReadsEveryField) {
  const auto tool = parse_http_tool(kEverything);
  ASSERT_TRUE(tool) << tool.error().message;
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(tool->name, "get-weather_2");
  EXPECT_EQ(tool->description, "Says\nthe weather");
  EXPECT_EQ(tool->input_schema,
            R"({"type":"object","properties":{"city":{"type":"string","maxLength":1e2},)"
            R"("page":{},"file":{}},"required":["city"]})");
  EXPECT_EQ(tool->tags, (std::vector<std::string>{"weather", "net"}));
  EXPECT_EQ(tool->url, "https://a.example:8443/w/{city}?p={page}");
  EXPECT_EQ(tool->method, "PUT");
  EXPECT_EQ(tool->headers, (std::vector{Pair("Accept", "application/json"), Pair("X-Empty", "")}));
  EXPECT_EQ(tool->headers_env, (std::vector{Pair("Authorization", "WEATHER_KEY")}));
  EXPECT_EQ(tool->timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(tool->reference_name, "weather");
  EXPECT_EQ(tool->display_name, "Weather");
  EXPECT_EQ(tool->user_description, "For people");
  EXPECT_FALSE(tool->confirm);
  EXPECT_TRUE(tool->confirm_results);
  EXPECT_EQ(tool->url_arguments, std::vector<std::string>{"page"});
  EXPECT_EQ(tool->file_arguments, std::vector<std::string>{"file"});
  EXPECT_TRUE(tool->allow_private_addresses);
  EXPECT_EQ(tool->max_response_bytes, 1000u);
}

TEST(HttpToolDefinition, WhatIsNotSaidIsOnTheSafeSide) {
  const auto tool = parse_http_tool(fmt::format("{{{}}}", kLeast));
  ASSERT_TRUE(tool) << tool.error().message;
  EXPECT_EQ(tool->method, "POST");
  EXPECT_EQ(tool->timeout, std::chrono::seconds(30));
  EXPECT_TRUE(tool->confirm);
  EXPECT_FALSE(tool->allow_private_addresses);
  EXPECT_EQ(tool->max_response_bytes, 8u << 20);
  EXPECT_EQ(tool->input_schema, "");
}

TEST(HttpToolDefinition, IsReadBackAsItWasWritten) {
  for (const std::string& json : {std::string(kEverything), fmt::format("{{{}}}", kLeast)}) {
    const auto tool = parse_http_tool(json);
    ASSERT_TRUE(tool);
    const std::string written = write_http_tool(*tool);
    const auto again = parse_http_tool(written);
    ASSERT_TRUE(again) << again.error().message << " in " << written;
    EXPECT_EQ(*again, *tool);
    EXPECT_EQ(write_http_tool(*again), written);
  }
}

TEST(HttpToolDefinition, IsWrittenInOneFormWithItsDefaults) {
  const auto tool = parse_http_tool(
      R"( {"url":"https://a.example/", "tags":[], "name":"t", "headers":{}, "description":"\u0064"} )");
  ASSERT_TRUE(tool) << tool.error().message;
  EXPECT_EQ(write_http_tool(*tool),
            R"({"name":"t","description":"d","url":"https://a.example/","method":"POST",)"
            R"("timeoutSeconds":30,"confirm":true,"confirmResults":false,)"
            R"("allowPrivateAddresses":false,"maxResponseBytes":8388608})");
}

TEST(HttpToolDefinition, TheCatalogueIsToldWhereItComesFrom) {
  const ToolData data = tool_data_of(parse_http_tool(kEverything).value());
  EXPECT_EQ(data.id, "get-weather_2");
  EXPECT_EQ(data.reference_name, "weather");
  EXPECT_EQ(data.display_name, "Weather");
  EXPECT_EQ(data.user_description, "For people");
  EXPECT_EQ(data.model_description, "Says\nthe weather");
  EXPECT_TRUE(data.input_schema.starts_with(R"({"type":"object")"));
  EXPECT_EQ(data.tags, (std::vector<std::string>{"weather", "net"}));
  EXPECT_EQ(data.source.key(), "http:https://a.example:8443/w/{city}?p={page}");
  EXPECT_EQ(tool_data_of(parse_http_tool(fmt::format("{{{}}}", kLeast)).value()).display_name, "t");
}

struct WrongField {
  std::string_view field;
  std::string_view value;
  std::string_view where = {};  // where it is not the field's name
};

TEST(HttpToolDefinition, EveryWrongFieldIsNamed) {
  for (const auto& [field, value, where] : std::initializer_list<WrongField>{
           {"name", "1"},
           {"name", R"("")"},
           {"name", R"("a b")"},
           {"name", R"("a/b")"},
           {"name", R"("ä")"},
           {"name", R"("01234567890123456789012345678901234567890123456789012345678901234")"},
           {"description", R"("")"},
           {"description", "null"},
           {"inputSchema", R"("object")"},
           {"inputSchema", "true"},
           {"inputSchema", R"({"type":"string"})"},
           {"inputSchema", R"({"properties":{"a":{"type":"strin"}}})",
            "inputSchema#/properties/a/type"},
           {"inputSchema", R"({"properties":{"a":{"pattern":"("}}})",
            "inputSchema#/properties/a/pattern"},
           {"inputSchema", R"({"$ref":"#/$defs/none"})", "inputSchema#/$ref"},
           {"tags", R"("a")"},
           {"tags", R"(["a",1])", "tags[1]"},
           {"tags", R"(["a","a"])", "tags[1]"},
           {"tags", R"([""])", "tags[0]"},
           {"tags", R"(["a\nb"])", "tags[0]"},
           {"url", "1"},
           {"url", R"("")"},
           {"url", R"("a.example/x")"},
           {"url", R"("file:///etc/passwd")"},
           {"url", R"("https:///x")"},
           {"url", R"("https://user:secret@a.example/")"},
           {"url", R"("https://a.example/#x")"},
           {"url", R"("https://a.example/a b")"},
           {"url", R"("https://a.example/\r\nX: y")"},
           {"url", R"("https://a.example/\u0000")"},
           {"url", R"("https://a.example\\@b.example/")"},
           {"url", R"("https://{host}/")"},
           {"url", R"("https://a.example:{port}/")"},
           {"url", R"("https://a.example/{id")"},
           {"url", R"("https://a.example/id}")"},
           {"url", R"("https://a.example/{}")"},
           {"url", R"("https://a.example/{a b}")"},
           {"url", R"("https://a.example/{{a}}")"},
           {"url", R"("https://a.example/a/../b")"},
           {"url", R"("https://a.example/a/%2e%2E/b")"},
           {"method", R"("get")"},
           {"method", R"("TRACE")"},
           {"method", "1"},
           {"headers", "[]"},
           {"headers", R"({"A b":"x"})", "headers.A b"},
           {"headers", R"({"":"x"})", "headers."},
           {"headers", R"({"A:":"x"})", "headers.A:"},
           {"headers", R"({"A":1})", "headers.A"},
           {"headers", R"({"A":"x\r\nB: y"})", "headers.A"},
           {"headers", R"({"A":"x\ny"})", "headers.A"},
           {"headers", R"({"A":" x"})", "headers.A"},
           {"headers", R"({"A":"ä"})", "headers.A"},
           {"headers", R"({"A":"x","a":"y"})", "headers.a"},
           {"headers", R"({"Host":"x"})", "headers.Host"},
           {"headers", R"({"HOST":"x"})", "headers.HOST"},
           {"headers", R"({"Content-Length":"1"})", "headers.Content-Length"},
           {"headers", R"({"Transfer-Encoding":"chunked"})", "headers.Transfer-Encoding"},
           {"headers", R"({"Connection":"close"})", "headers.Connection"},
           {"headers", R"({"Upgrade":"h2c"})", "headers.Upgrade"},
           {"headers", R"({"TE":"trailers"})", "headers.TE"},
           {"headers", R"({"Expect":"100-continue"})", "headers.Expect"},
           {"headersEnv", R"({"Host":"X"})", "headersEnv.Host"},
           {"headersEnv", R"({"Authorization":"Bearer secret"})", "headersEnv.Authorization"},
           {"headersEnv", R"({"Authorization":"1X"})", "headersEnv.Authorization"},
           {"headersEnv", R"({"Authorization":""})", "headersEnv.Authorization"},
           {"timeoutSeconds", "0"},
           {"timeoutSeconds", "0.09"},
           {"timeoutSeconds", "3601"},
           {"timeoutSeconds", "1e400"},
           {"timeoutSeconds", R"("30")"},
           {"toolReferenceName", R"("a b")"},
           {"toolReferenceName", R"("")"},
           {"displayName", R"("a\u001bb")"},
           {"userDescription", "1"},
           {"confirm", R"("false")"},
           {"confirm", "null"},
           {"confirmResults", "0"},
           {"urlArguments", R"("page")"},
           {"urlArguments", "[1]", "urlArguments[0]"},
           {"fileArguments", "{}"},
           {"allowPrivateAddresses", "1"},
           {"maxResponseBytes", "0"},
           {"maxResponseBytes", "1.5"},
           {"maxResponseBytes", "67108865"},
           {"maxResponseBytes", "1e300"},
       }) {
    const Error error = error_of(with_field(field, value));
    EXPECT_EQ(error.code, Errc::InvalidRequest) << field << " " << value;
    EXPECT_EQ(error.where, where.empty() ? field : where) << value << ": " << error.message;
    EXPECT_EQ(error.message.find("secret"), std::string::npos) << error.message;
  }
}

TEST(HttpToolDefinition, TheEdgesOfLimitsAreAllowed) {
  for (const auto& [field, value] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"name", "\"" + std::string(64, 'x') + "\""},
           {"timeoutSeconds", "0.1"},
           {"timeoutSeconds", "3600"},
           {"maxResponseBytes", "1"},
           {"maxResponseBytes", "67108864"},
           {"headers", R"({"X-A":"tab\there ~"})"},
           {"inputSchema", "{}"},
           {"url", R"("http://2130706433:65535/a..b/...?x=../y")"}})
    EXPECT_TRUE(parse_http_tool(with_field(field, value)))
        << field << " " << value << ": " << error_of(with_field(field, value)).message;
}

TEST(HttpToolDefinition, WhatIsMissingIsNamed) {
  EXPECT_EQ(error_of("{}").where, "name");
  EXPECT_EQ(error_of(R"({"name":"t"})").where, "description");
  EXPECT_EQ(error_of(R"({"name":"t","description":"d"})").where, "url");
}

TEST(HttpToolDefinition, AnUnknownFieldIsRefusedWithTheOneThatWasMeant) {
  const Error error = error_of(with(R"("timeoutSecond":3)"));
  EXPECT_EQ(error.code, Errc::InvalidRequest);
  EXPECT_EQ(error.where, "timeoutSecond");
  EXPECT_NE(error.message.find("did you mean 'timeoutSeconds'?"), std::string::npos);
  EXPECT_EQ(error_of(with(R"("quite-another":3)")).message,
            "'quite-another' is no field of a tool");
  EXPECT_LT(error_of(with("\"" + std::string(100'000, 'x') + "\":3")).message.size(), 400u);
}

TEST(HttpToolDefinition, NamesOfArgumentsMustBeInTheSchema) {
  constexpr std::string_view kSchema = R"("inputSchema":{"properties":{"id":{},"page":{}}})";
  EXPECT_TRUE(parse_http_tool(with(fmt::format(R"({},"urlArguments":["page"])", kSchema))));
  const Error error = error_of(with(fmt::format(R"({},"urlArguments":["pag"])", kSchema)));
  EXPECT_EQ(error.where, "urlArguments");
  EXPECT_NE(error.message.find("did you mean 'page'?"), std::string::npos) << error.message;
  EXPECT_EQ(error_of(with(fmt::format(R"({},"fileArguments":["x"])", kSchema))).where,
            "fileArguments");
  EXPECT_EQ(error_of(with(R"("inputSchema":{"properties":{"page":{}}})")).where, "url");
  EXPECT_TRUE(parse_http_tool(with(R"("inputSchema":{},"urlArguments":["x"])")));
}

TEST(HttpToolDefinition, TwoHeadersOfOneNameAreRefusedWhereverTheyStand) {
  EXPECT_EQ(error_of(with(R"("headers":{"X-Key":"a"},"headersEnv":{"x-key":"A"})")).where,
            "headersEnv.x-key");
}

TEST(HttpToolDefinition, WhatIsNoObjectOrSaysSomethingTwiceIsRefused) {
  EXPECT_EQ(error_of("[]").code, Errc::InvalidRequest);
  EXPECT_EQ(error_of("{").code, Errc::InvalidJson);
  EXPECT_EQ(error_of(with(R"("name":"u")")).code, Errc::InvalidRequest);
  EXPECT_EQ(error_of(with(R"("headers":{"A":"x","A":"y"})")).code, Errc::InvalidRequest);
  EXPECT_FALSE(parse_http_tool(
      with(fmt::format("\"userDescription\":\"{}\"", std::string(kMostHttpToolBytes, 'x')))));
}

}  // namespace
}  // namespace toolgate
