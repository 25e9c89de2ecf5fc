// What a VS Code extension contributes, read from its package.json: tools and tool sets. The
// gateway registers them; running the extension is another matter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "toolgate/registry.h"
#include "toolgate/tool.h"
#include "toolgate/tool_set.h"

namespace toolgate {

inline constexpr std::size_t kMaxManifestBytes = std::size_t{4} << 20;

struct ManifestFault {
  std::string kind;     // missing_required_field, invalid_name, …
  std::string message;  // names the extension, the entry and what is wrong
  std::string advice;   // may be empty
};

struct ExtensionManifest {
  std::string id;  // publisher.name
  std::string display_name;
  std::vector<ToolData> tools;
  std::vector<ToolSetData> sets;  // the synthetic one among them
  std::vector<ManifestFault> faults;
  // What starts it: those it names itself and one for each tool.
  std::vector<std::string> activation_events;
};

struct ManifestOptions {
  // The product's own extension: its tools and sets count as built in. Compared without case.
  std::string chat_extension_id = "GitHub.copilot-chat";
  // The extension's folder, which paths of icons are made absolute with; empty: they stay relative.
  std::string root;
  // Whether enabledApiProposals are granted as the manifest asks. If not, all are refused.
  bool grant_proposals = true;
};

// `nls` is the text of package.nls.json, which %placeholders% refer to; empty: there is none. An
// entry that cannot be used is in `faults`, the others go on. An icon is "$(name)", a path, or
// {"light":path,"dark":path} as JSON where these differ.
ExtensionManifest read_manifest(std::string_view package, std::string_view nls = {},
                                const ManifestOptions& options = {});

// "onLanguageModelTool:<name>".
std::string activation_event(std::string_view tool_name);

struct RegisteredManifest {
  std::vector<Registration> registrations;
  std::vector<ManifestFault> faults;  // of entries that the registry refused
};

// The synthetic set gets only the tools that were registered here.
RegisteredManifest register_manifest(Registry& registry, ExtensionManifest manifest);

// Sets of the manifest that the catalogue has not, because none of their members is there.
std::vector<ManifestFault> sets_without_members(const Catalog& catalog,
                                                const ExtensionManifest& manifest);

}  // namespace toolgate
