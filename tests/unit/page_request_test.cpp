// Which URLs are fetched, where redirections may lead, and what is taken for text.
#include "builtin/page_request.h"

#include <gtest/gtest.h>

#include "builtin/web_settings.h"
#include "http_tool_fixture.h"
#include "net/host_patterns.h"

namespace toolgate {
namespace {

std::string read(std::string_view given) {
  const auto url = read_page_url(given);
  return url ? text_of(*url) : url.error().message;
}

TEST(PageRequest, AUrlIsWhatIsRequested) {
  EXPECT_EQ(read(" https://a.example \n"), "https://a.example/");
  EXPECT_EQ(read("https://a.example/x#part"), "https://a.example/x");
  EXPECT_EQ(read("https://a.example/a b/ä?q=\"x\""), "https://a.example/a%20b/%C3%A4?q=%22x%22");
  EXPECT_EQ(read("https://a.example/a%20b"), "https://a.example/a%20b");
  EXPECT_EQ(read("https://a.example/\r\nX-Y: z"), "https://a.example/%0D%0AX-Y:%20z");
}

TEST(PageRequest, OthersAreRefusedWithoutRepeatingThem) {
  for (const std::string_view url :
       {"", "a.example", "file:///etc/passwd", "ftp://a.example/", "javascript:alert(1)",
        "https://", "https://user:word@a.example/", "https://a.example\\@b.example/",
        "https://ä.example/", "https://a.example:0/"}) {
    const auto read = read_page_url(url);
    ASSERT_FALSE(read) << url;
    EXPECT_EQ(read.error().code, Errc::InvalidRequest);
    EXPECT_EQ(read.error().message.find("word@"), std::string::npos);
  }
  EXPECT_FALSE(read_page_url("https://a.example/" + std::string(10'000, 'x')));
}

TEST(PageRequest, RedirectionsStayOnTheSite) {
  const auto same = [](std::string_view from, std::string_view to) {
    return is_same_site(parse_http_url(from).value(), parse_http_url(to).value());
  };
  EXPECT_TRUE(same("http://a.example/x", "https://a.example/y"));
  EXPECT_TRUE(same("https://a.example/", "https://WWW.A.example/"));
  EXPECT_TRUE(same("http://a.example:8080/", "http://a.example:8080/x"));
  EXPECT_FALSE(same("https://a.example/", "https://b.example/"));
  EXPECT_FALSE(same("https://a.example/", "https://evil.a.example/"));
  EXPECT_FALSE(same("https://a.example/", "https://a.example:8443/"));
  EXPECT_FALSE(same("http://a.example:8080/", "http://a.example:9090/"));
  EXPECT_FALSE(same("http://127.0.0.1/", "http://127.0.0.2/"));
}

class PageLoop {
 public:
  PageLoop() : client_(std::in_place, loop_.loop()) {}
  ~PageLoop() {
    loop_.call([this] { client_.reset(); });
    loop_.finish();
  }

  std::future<Result<FetchedPage>> start(const RawListener& server, const WebSettings& settings) {
    const std::string url = fmt::format("http://127.0.0.1:{}/", server.port());
    return loop_.start(fetch_page(*client_, parse_http_url(url).value(), settings, cancel_));
  }
  void call(std::function<void()> work) { loop_.call(std::move(work)); }

 private:
  TestLoop loop_;
  CancelSource cancel_;
  std::optional<HttpClient> client_;
};

// As when a name leads to another address the second time.
TEST(PageRequest, TheAddressBehindARedirectionIsCheckedAgain) {
  for (const bool stays_allowed : {true, false}) {
    RawListener server;
    WebSettings settings;
    settings.allowed_private_hosts = {"127.0.0.1"};
    PageLoop loop;
    auto answer = loop.start(server, settings);
    auto first = server.accept();
    EXPECT_EQ(http_tool_test::receive(first).first_line(), "GET / HTTP/1.1");
    if (!stays_allowed) loop.call([&] { settings.allowed_private_hosts.clear(); });
    first.send(http_tool_test::redirect("/next"));
    if (stays_allowed) {
      auto second = server.accept();
      EXPECT_EQ(http_tool_test::receive(second).first_line(), "GET /next HTTP/1.1");
      second.send(http_tool_test::ok("text/plain", "there"));
    }
    const auto page = get_soon(std::move(answer));
    ASSERT_EQ(page.has_value(), stays_allowed);
    if (stays_allowed)
      EXPECT_EQ(page->bytes, "there");
    else
      EXPECT_EQ(page.error().code, Errc::Forbidden) << page.error().message;
  }
}

TEST(PageRequest, KnowsTextByItsTypeAndItsBytes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(media_type_of(" Text/HTML ; charset=x"), "text/html");
  EXPECT_EQ(page_kind_of("text/html", "x"), PageKind::Html);
  EXPECT_EQ(page_kind_of("application/xhtml+xml", "x"), PageKind::Html);
  EXPECT_EQ(page_kind_of("", "\n <!DOCTYPE HTML><p>"), PageKind::Html);
  EXPECT_EQ(page_kind_of("", "<html lang=en>"), PageKind::Html);
  EXPECT_EQ(page_kind_of("", "plain"), PageKind::Text);
  for (const std::string_view type : {"text/plain", "text/markdown", "application/json",
                                      "application/ld+json", "application/rss+xml"})
    EXPECT_EQ(page_kind_of(type, "x"), PageKind::Text) << type;
  for (const std::string_view type : {"application/pdf", "image/png", "image/svg+xml", "video/mp4",
                                      "application/octet-stream", "application/zip", "nonsense"})
    EXPECT_EQ(page_kind_of(type, "x"), PageKind::Other) << type;
  EXPECT_EQ(page_kind_of("text/html", "%PDF-1.7"), PageKind::Other);
  EXPECT_EQ(page_kind_of("text/plain", "a\0b"sv), PageKind::Other);
  EXPECT_EQ(page_kind_of("text/plain",
                         "\xFF\xFE"
                         "a\0"sv),
            PageKind::Text);
}

TEST(HostPatterns, NameHostsWithOrWithoutAPort) {
  const auto names = [](std::string pattern, std::string_view url) {
    const std::vector patterns{std::move(pattern)};
    return names_host(patterns, parse_http_url(url).value().origin);
  };
  EXPECT_TRUE(names("LOCALHOST", "http://localhost:3000/"));
  EXPECT_TRUE(names("localhost:3000", "http://localhost:3000/"));
  EXPECT_FALSE(names("localhost:3000", "http://localhost:3001/"));
  EXPECT_TRUE(names("10.0.*", "http://10.0.0.7/"));
  EXPECT_TRUE(names("[::1]", "http://[::1]:81/"));
  EXPECT_TRUE(names("::1", "http://[::1]:81/"));
  EXPECT_FALSE(names("example", "http://a.example/"));
}

}  // namespace
}  // namespace toolgate
