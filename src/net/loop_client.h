// Finds the HttpClient of the loop that a coroutine runs on: for tools, which any loop may call
// and none introduces itself to. Each loop that runs tools has one.
#pragma once

#include "net/http_client.h"
#include "toolgate/task.h"

namespace toolgate {

class LoopClient {
 public:
  // `client` is the one of its loop as long as this exists.
  explicit LoopClient(HttpClient& client);
  ~LoopClient();
  LoopClient(const LoopClient&) = delete;
  LoopClient& operator=(const LoopClient&) = delete;

  // Of the loop that runs the coroutine that asks. Null: it has none.
  static Task<HttpClient*> find();

 private:
  Loop& loop_;
};

}  // namespace toolgate
