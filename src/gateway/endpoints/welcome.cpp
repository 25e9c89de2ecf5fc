// GET /: a page that says the gateway runs, which models it has, and how to use it.
#include "gateway/endpoints/endpoints.h"

namespace toolgate {
namespace {

constexpr std::string_view kPageBegin = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Toolgate</title>
<style>
:root{color-scheme:light dark;--line:#8884}
body{font:16px/1.55 system-ui,sans-serif;max-width:46rem;margin:12vh auto;padding:0 1.5rem}
h1{font-size:1.6rem;margin:0}.dot{color:#2da44e}
table{border-collapse:collapse;width:100%;margin:1rem 0 2rem}
td,th{text-align:left;padding:.45rem .6rem;border-bottom:1px solid var(--line)}
th{font-weight:600;opacity:.7;font-size:.85rem}
pre{background:#8881;border:1px solid var(--line);border-radius:8px;padding:1rem;overflow:auto}
code,pre,td:first-child{font-family:ui-monospace,monospace;font-size:.9rem}
</style></head><body>
<h1><span class="dot">&#9679;</span> Toolgate is running</h1>
<p>An OpenAI-compatible endpoint with these models:</p>
<table><tr><th>model</th><th>from</th><th>tool calls</th></tr>
)";

constexpr std::string_view kPageEnd = R"(</table>
<p>Point any OpenAI client at <code>/v1</code>, or try it here:</p>
<pre>curl http://HOST/v1/chat/completions \
  -H 'Content-Type: application/json' \
  -d '{"model":"MODEL","messages":[{"role":"user","content":"Hello!"}]}'</pre>
</body></html>
)";

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

void replace(std::string& text, std::string_view what, std::string_view with) {
  if (const std::size_t at = text.find(what); at != std::string::npos)
    text.replace(at, what.size(), with);
}

}  // namespace

Task<> show_welcome(RequestContext& context) {
  std::string page(kPageBegin);
  for (const auto& model : context.snapshot->models) {
    const ModelInfo& info = model->info();
    page += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escape_html(info.id),
                        escape_html(info.owned_by), info.tool_calling ? "yes" : "no");
  }
  std::string end(kPageEnd);
  replace(end, "HOST", escape_html(context.exchange.head().find("host").value_or("")));
  replace(end, "MODEL", escape_html(context.snapshot->find_model("")->info().id));
  HttpReply reply;
  reply.content_type = "text/html; charset=utf-8";
  reply.headers = {{"Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"},
                   {"X-Content-Type-Options", "nosniff"}};
  reply.body = page + end;
  (void)co_await context.exchange.reply(std::move(reply));
}

}  // namespace toolgate
