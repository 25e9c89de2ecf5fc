#include "gateway/http_tools.h"

#include <chrono>

#include "base/log.h"
#include "hosts/http_tool.h"

namespace toolgate {

Result<Registration> HttpTools::register_tool(HttpToolDefinition definition,
                                              const HttpToolSettings& settings) {
  ToolData data = tool_data_of(definition);
  return registry_.add(std::move(data),
                       std::make_shared<HttpTool>(std::move(definition), settings));
}

Result<void> HttpTools::load(const HttpToolSettings& settings) {
  return ledger_.run_blocking([&](InvocationBook& book) -> Result<void> {
    auto rows = book.http_tools();
    if (!rows) return std::unexpected(rows.error());
    for (const HttpToolRow& row : *rows) {
      auto definition = parse_http_tool(row.definition);
      auto registered = definition ? register_tool(std::move(*definition), settings)
                                   : Result<Registration>(std::unexpected(definition.error()));
      if (registered)
        tools_[row.name] = std::move(*registered);
      else
        log(LogLevel::Warn, "the HTTP tool {} cannot be registered: {}", row.name,
            registered.error().message);
    }
    return {};
  });
}

Task<Result<void>> HttpTools::add(HttpToolDefinition definition, HttpToolSettings settings,
                                  std::string by) {
  const std::string name = definition.name;
  auto added = co_await ledger_.run([this, definition = std::move(definition),
                                     settings = std::move(settings),
                                     by = std::move(by)](InvocationBook& book) -> Result<void> {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const HttpToolRow row{
        .name = definition.name,
        .definition = write_http_tool(definition),
        .created_at = std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
    auto registered = register_tool(definition, settings);
    if (!registered) return std::unexpected(registered.error());
    if (auto kept = book.add_http_tool(row, by); !kept) return kept;
    tools_[row.name] = std::move(*registered);
    return {};
  });
  // What could not be written is not there after a restart, so it must not be there now.
  if (!added && added.error().code == Errc::Io)
    (void)co_await ledger_.run([this, name](InvocationBook&) -> Result<void> {
      tools_.erase(name);
      return {};
    });
  co_return added;
}

Task<Result<void>> HttpTools::remove(std::string name, std::string by) {
  return ledger_.run(
      [this, name = std::move(name), by = std::move(by)](InvocationBook& book) -> Result<void> {
        const auto removed = book.remove_http_tool(name, by);
        if (!removed) return std::unexpected(removed.error());
        if (!*removed)
          return fail(Errc::NotFound, "no tool called '{}' was registered through the API", name);
        tools_.erase(name);
        return {};
      });
}

}  // namespace toolgate
