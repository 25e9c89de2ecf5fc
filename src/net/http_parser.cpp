#include "net/http_parser.h"

#include <optional>
#include <variant>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace toolgate {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using Text = boost::beast::string_view;

std::string_view view(Text text) {
  return {text.data(), text.size()};
}

template <bool isRequest>
class Beast final : public http::basic_parser<isRequest> {
 public:
  Beast(HttpHead& head, std::size_t header_limit) : head_(head) {
    this->header_limit(static_cast<std::uint32_t>(header_limit));
    this->body_limit(boost::none);  // ours to count: a body of known length never comes here
  }

  std::string* body = nullptr;

 private:
  void on_request_impl(http::verb, Text method, Text target, int version, error_code&) override {
    head_.set_request_line(view(method), view(target));
    head_.http_1_1 = version == 11;
  }
  void on_response_impl(int status, Text, int version, error_code&) override {
    head_.status = status;
    head_.http_1_1 = version == 11;
  }
  void on_field_impl(http::field, Text name, Text value, error_code&) override {
    if (!this->is_header_done()) head_.add(view(name), view(value));
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(Text text, error_code&) override {
    body->append(text.data(), text.size());
    return text.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text text, error_code&) override {
    body->append(text.data(), text.size());
    return text.size();
  }
  void on_finish_impl(error_code&) override {}

  HttpHead& head_;
};

Error parse_error(const error_code& error) {
  if (error == http::error::header_limit)
    return {Errc::HeaderTooLarge, "the header is over its limit", {}};
  return {Errc::InvalidRequest, "malformed HTTP: " + error.message(), {}};
}

}  // namespace

struct HttpParser::Impl {
  Kind kind;
  HttpHead head;
  std::variant<std::monostate, Beast<true>, Beast<false>> parser;

  template <class Visit>
  auto visit(Visit visitor) {
    if (kind == Kind::Request) return visitor(std::get<1>(parser));
    return visitor(std::get<2>(parser));
  }
};

HttpParser::HttpParser(Kind kind, std::size_t header_limit) : impl_(std::make_unique<Impl>(kind)) {
  reset(header_limit);
}

HttpParser::~HttpParser() = default;

void HttpParser::reset(std::size_t header_limit) {
  impl_->head.clear();
  if (impl_->kind == Kind::Request)
    impl_->parser.emplace<1>(impl_->head, header_limit);
  else
    impl_->parser.emplace<2>(impl_->head, header_limit);
}

Result<std::size_t> HttpParser::put(std::string_view bytes, std::string& body) {
  return impl_->visit([&](auto& parser) -> Result<std::size_t> {
    parser.body = &body;
    std::size_t used = 0;
    while (used < bytes.size() && !parser.is_done()) {
      const bool in_header = !parser.is_header_done();
      if (!in_header && !parser.chunked()) break;
      error_code error;
      used += parser.put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), error);
      if (!error && in_header && parser.is_header_done()) break;
      if (error == http::error::need_more) break;
      if (error) return std::unexpected(parse_error(error));
    }
    return used;
  });
}

const HttpHead& HttpParser::head() const {
  return impl_->head;
}

bool HttpParser::header_done() const {
  return impl_->visit([](auto& parser) { return parser.is_header_done(); });
}

bool HttpParser::chunked() const {
  return impl_->visit([](auto& parser) { return parser.chunked(); });
}

std::optional<std::uint64_t> HttpParser::content_length() const {
  return impl_->visit([](auto& parser) -> std::optional<std::uint64_t> {
    if (const auto length = parser.content_length()) return *length;
    return std::nullopt;
  });
}

bool HttpParser::body_until_end() const {
  return impl_->visit([](auto& parser) { return parser.need_eof() && !parser.chunked(); });
}

bool HttpParser::keep_alive() const {
  return impl_->visit([](auto& parser) { return parser.keep_alive(); });
}

bool HttpParser::done() const {
  return impl_->visit([](auto& parser) { return parser.is_done(); });
}

}  // namespace toolgate
