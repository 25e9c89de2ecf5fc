// readable_text.json: pages and the text that is made of them.
#include "builtin/readable_text.h"

#include "golden_runner/kinds.h"

namespace toolgate {

void run_readable_text(const json::value& file, Tally& tally) {
  const HttpUrl url = parse_http_url("https://site.example/docs/page.html").value();
  for (const json::value& entry : file.at("cases").as_array()) {
    const std::string_view name = text_in(entry, "name");
    const auto page = read_html(std::string(text_in(entry, "html")), url);
    if (!page) {
      tally.compare(name, "a page", page.error().message);
      continue;
    }
    tally.compare(name, std::string(text_in(entry, "text")), write_blocks(page->blocks));
    for (const auto& [key, got] :
         {std::pair("title", page->title), std::pair("description", page->description)})
      if (find(entry, key)) tally.compare(name, std::string(text_in(entry, key)), got);
  }
}

}  // namespace toolgate
