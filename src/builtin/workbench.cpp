#include "builtin/workbench.h"

#include "builtin/language_servers.h"

namespace toolgate {

Workbench::Workbench(WorkbenchOptions options, std::shared_ptr<const BuiltinSettings> settings)
    : options_(std::move(options)),
      edits_(options_.data),
      shown_edits_(options_.data),
      shown_commands_(options_.data),
      language_servers_(std::make_unique<LanguageServers>()) {
  use(std::move(settings));
}

Workbench::~Workbench() = default;

void Workbench::use(std::shared_ptr<const BuiltinSettings> settings) {
  edits_.set_kept_bytes(settings->edit_bytes);
  settings_.store(std::move(settings));
}

}  // namespace toolgate
