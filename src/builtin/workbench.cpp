#include "builtin/workbench.h"

#include "builtin/language_servers.h"

namespace toolgate {

Workbench::Workbench(WorkbenchOptions options, std::shared_ptr<const BuiltinSettings> settings)
    : options_(std::move(options)),
      settings_(std::move(settings)),
      language_servers_(std::make_unique<LanguageServers>()) {}

Workbench::~Workbench() = default;

}  // namespace toolgate
