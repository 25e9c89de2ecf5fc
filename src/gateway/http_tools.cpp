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
      tools_.erase(row.name);
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

// A tool is there when it is registered and written, and gone when both are undone: what was done
// on the ledger's thread is kept apart until its commit is known.
Task<Result<void>> HttpTools::add(HttpToolDefinition definition, HttpToolSettings settings,
                                  std::string by) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const HttpToolRow row{
      .name = definition.name,
      .definition = write_http_tool(definition),
      .created_at = std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
  auto registered = register_tool(std::move(definition), settings);
  if (!registered) co_return std::unexpected(registered.error());
  auto written = co_await ledger_.run(
      [row, by = std::move(by)](InvocationBook& book) { return book.add_http_tool(row, by); });
  if (!written) co_return written;
  co_return co_await ledger_.run(
      [this, name = row.name,
       kept = std::make_shared<Registration>(std::move(*registered))](InvocationBook&) {
        tools_[name] = std::move(*kept);
        return Result<void>{};
      });
}

Task<Result<void>> HttpTools::remove(std::string name, std::string by) {
  auto removed = co_await ledger_.run(
      [name, by = std::move(by)](InvocationBook& book) { return book.remove_http_tool(name, by); });
  if (!removed) co_return std::unexpected(removed.error());
  if (!*removed)
    co_return fail(Errc::NotFound, "no tool called '{}' was registered through the API", name);
  co_return co_await ledger_.run([this, name](InvocationBook&) {
    tools_.erase(name);
    return Result<void>{};
  });
}

}  // namespace toolgate
