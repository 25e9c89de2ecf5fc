#include "builtin/workbench.h"

namespace toolgate {

Workbench::Workbench(WorkbenchOptions options, std::shared_ptr<const BuiltinSettings> settings)
    : options_(std::move(options)), settings_(std::move(settings)) {}

Workbench::~Workbench() = default;

}  // namespace toolgate
