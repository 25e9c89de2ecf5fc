// Beast's HTTP/1.1 parser behind a face that the rest of net/ can include cheaply.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "net/http_head.h"

namespace toolgate {

class HttpParser {
 public:
  enum class Kind { Request, Response };

  HttpParser(Kind kind, std::size_t header_limit);
  ~HttpParser();

  // Begins a new message.
  void reset(std::size_t header_limit);

  // Takes as much of `bytes` as it can use and tells how much that was; stops at the end of the
  // header. After it, a body of known length is left to the caller, and the pieces of a chunked one
  // are appended to `body`.
  Result<std::size_t> put(std::string_view bytes, std::string& body);

  const HttpHead& head() const;
  bool header_done() const;

  // How the body is framed, once the header is done.
  bool chunked() const;
  std::optional<std::uint64_t> content_length()
      const;  // neither: no body, or until the end (a response)
  bool body_until_end() const;
  bool keep_alive() const;

  // All of a chunked message has been put.
  bool done() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate
