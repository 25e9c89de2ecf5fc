#include "hosts/hook_settings.h"

#include "net/upstream_address.h"

namespace toolgate {

Result<void> check_hook(const Hook& hook) {
  if (hook.command.empty() == hook.url.empty())
    return fail(Errc::InvalidSettings, "must have a command or a URL, and not both");
  if (!hook.command.empty() && hook.command.front().empty())
    return fail(Errc::InvalidSettings, "must have a command that begins with a program");
  if (hook.timeout.count() <= 0)
    return fail(Errc::InvalidSettings, "must have a time limit above 0");
  if (hook.url.empty()) return {};
  if (auto address = parse_base_url(hook.url); !address)
    return fail(Errc::InvalidSettings, "must have a usable URL: it {}", address.error().message);
  return {};
}

}  // namespace toolgate
