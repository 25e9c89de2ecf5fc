// What an upstream language model is to the rest: something that answers one chat request, whole or
// in chunks. agent/ calls it; models/open.cpp is the list of kinds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/trace_context.h"
#include "tokens/encoding.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"
#include "wire/openai_chat.h"

namespace toolgate {

class HttpClient;

struct ModelInfo {
  std::string id;
  std::string owned_by;
  std::string family;  // whose rules its tools' schemas are shaped by
  Encoding encoding = Encoding::O200kBase;
  std::int64_t created = 0;
  std::optional<std::int64_t> max_input_tokens;
  std::optional<std::int64_t> max_output_tokens;
  bool tool_calling = true;
  // For spans and metrics: the kind of the provider, and where it is.
  std::string provider = {};
  std::string server_address = {};
  std::int64_t server_port = 0;  // 0: nowhere
};

// The chunks of a streamed answer, pulled so that a slow client slows the upstream.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;

  // The data of the next event that is already here, nothing when fill() must be awaited.
  // The view holds until the next call; kJsonPadding bytes behind it may be read.
  virtual Result<std::optional<std::string_view>> next() = 0;

  // Waits for more. False: the upstream has ended properly and next() has nothing left to give.
  virtual Task<Result<bool>> fill(const Cancel& cancel) = 0;

  // The answer is complete although the body is not: wait only briefly for the rest.
  virtual void expect_end() {}

  // Nothing more will be asked for. What still comes is read and dropped in the background, so that
  // the connection can be used again.
  virtual void discard_rest() {}
};

struct ProviderReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;  // to be passed on to the client
  std::variant<std::string, std::unique_ptr<ChunkSource>> body;
};

struct ProviderCall {
  const ChatRequest& request;
  std::string_view request_id;
  HttpClient& client;                   // this loop's connections
  const TraceContext* trace = nullptr;  // told to the upstream
};

class ChatProvider {
 public:
  virtual ~ChatProvider() = default;

  virtual const ModelInfo& info() const = 0;

  // A reply with whatever status the model gave; failing means that no reply came.
  virtual Task<Result<ProviderReply>> answer(ProviderCall call, const Cancel& cancel) const = 0;
};

}  // namespace toolgate
