// The built-in tools of a gateway, or of a command that calls tools without one: declared before
// all others, run once there is a ledger.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "builtin/workbench.h"
#include "gateway/settings.h"
#include "toolgate/registry.h"

namespace toolgate {

class Invoking;

struct BuiltinPlaces {
  std::filesystem::path workspace;
  std::filesystem::path data;
  std::filesystem::path profile;
  std::vector<std::filesystem::path> settings_files;  // of the command line
};

class BuiltinTools {
 public:
  explicit BuiltinTools(BuiltinPlaces places) : places_(std::move(places)) {}

  // Whether the tools for a workspace are there is decided here, once.
  Result<void> declare(Registry& registry, const Settings& settings);
  Result<void> implement(Registry& registry, Invoking& invoking, const Settings& settings);
  // After a change of settings; from any thread.
  void use(const Settings& settings);
  // Before the ledger goes.
  void stop();

 private:
  std::shared_ptr<const BuiltinSettings> settings_of(const Settings& settings) const;

  BuiltinPlaces places_;
  bool for_workspace_ = false;
  std::unique_ptr<Workbench> workbench_;
  std::vector<Registration> registrations_;  // gone before what they use
};

}  // namespace toolgate
