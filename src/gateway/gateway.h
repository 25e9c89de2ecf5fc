// The gateway as a whole: loops, servers, settings and their reload, and stopping. cli/serve runs
// it, and cli/private_gateway for a command that needs one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "gateway/settings.h"
#include "gateway/tool_catalog.h"

namespace toolgate {

struct GatewayOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;
  std::filesystem::path data;
  SettingsFiles files;
  ToolFiles tools;
  Environment environment;
  // Part of a command: it answers the operator only, and signals are the command's.
  bool is_private = false;
};

class Gateway {
 public:
  // Reads the settings, opens the models and listens; nothing is answered yet.
  static Result<std::unique_ptr<Gateway>> open(GatewayOptions options);
  ~Gateway();

  std::uint16_t port() const;
  const std::string& host() const;

  // Answers until SIGTERM or SIGINT. The first one lets running answers finish, for at most
  // toolgate.limits.shutdownSeconds; the second one, or the end of that time, cancels them.
  void run(const std::function<void()>& ready);
  // As the first of those signals does; from any thread, once it is ready.
  void stop();

 private:
  struct Impl;
  explicit Gateway(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate
