// Runs a tool that lives behind an HTTP URL. One object serves all loops; each call goes through
// the HttpClient of the loop that it runs on (net/loop_client.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hosts/http_tool_definition.h"
#include "hosts/http_tool_settings.h"
#include "hosts/url_template.h"
#include "toolgate/tool.h"

namespace toolgate {

class HttpClient;
class HttpResponse;
struct HttpToolAnswer;

class HttpTool final : public Tool {
 public:
  // The value of an environment variable; nothing: it is not set. Called on any loop's thread.
  using Environment = std::function<std::optional<std::string>(const char* name)>;

  // `definition` is one that parse_http_tool() made. Without `environment`: the process's.
  HttpTool(HttpToolDefinition definition, const HttpToolSettings& settings,
           Environment environment = nullptr);

  // Only GET is ever sent a second time, and only GET follows redirects.
  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override;
  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call,
                                                    const Cancel& cancel) override;

 private:
  struct Request;

  Result<Request> make_request(const ToolCall& call) const;
  std::string make_head(const Request& request) const;
  bool may_be_private(const UpstreamAddress& origin) const;
  Result<std::optional<HttpUrl>> redirection(const HttpUrl& from,
                                             const HttpResponse& response) const;
  Task<Result<HttpToolAnswer>> exchange(HttpClient& client, Request request,
                                        const Cancel& cancel) const;
  Task<Result<HttpToolAnswer>> read_answer(HttpResponse& response, const Cancel& cancel) const;
  Error explain(const Error& error) const;

  const HttpToolDefinition definition_;
  const UrlTemplate url_;
  const std::vector<std::string> allowed_private_hosts_;
  const Environment environment_;
};

}  // namespace toolgate
