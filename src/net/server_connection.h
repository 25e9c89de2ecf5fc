// One client connection of an HttpServer: requests one after the other until either side ends it.
#pragma once

#include <memory>

#include "net/connection.h"
#include "net/http_parser.h"
#include "net/http_server.h"

namespace toolgate {

class ServerConnection {
 public:
  ServerConnection(HttpServer& server, TcpSocket socket);
  ~ServerConnection();

  Task<> serve();

  // Closes it if no request is under way.
  void close_if_idle();
  void close() { connection_->close(); }

 private:
  friend class HttpExchange;

  enum class HeadRead { Request, Ended };

  Task<HeadRead> read_head();
  Task<> answer_request();
  Task<> reply_error(const Error& error);
  Task<> leave_politely();
  Result<void> check_framing() const;

  HttpServer& server_;
  std::shared_ptr<Connection> connection_;
  HttpParser parser_;
  std::string chunked_body_;
  bool idle_ = true;
  bool keep_alive_ = true;
  bool body_pending_ = false;  // the client may still be sending
};

}  // namespace toolgate
