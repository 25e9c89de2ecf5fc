// manifest.json: what extensions contribute, entry by entry and together with what is registered
// already, and when the registry tells of changes.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "golden_runner/kinds.h"
#include "hosts/extension_manifest.h"
#include "toolgate/registry.h"
#include "tools/catalog_build.h"
#include "tools/tool_record.h"

namespace toolgate {
namespace {

constexpr std::string_view kRoot = "/ext";

// package.json of an extension as the cases describe it.
std::string package_of(const json::value& extension, json::value contributes) {
  const std::string_view id = text_in(extension, "id");
  const auto dot = id.find('.');
  json::object package{{"publisher", id.substr(0, dot)},
                       {"name", id.substr(dot + 1)},
                       {"enabledApiProposals", extension.at("proposals")},
                       {"contributes", std::move(contributes)}};
  if (const json::value* name = find(extension, "displayName")) package["displayName"] = *name;
  return write_json(package);
}

ExtensionManifest manifest_of(const json::value& extension, json::value contributes) {
  ManifestOptions options;
  options.root = kRoot;
  return read_manifest(package_of(extension, std::move(contributes)), {}, options);
}

json::value icon_json(const std::string& icon) {
  if (icon.empty()) return nullptr;
  if (icon.starts_with('{')) return parse_json(icon).value();
  if (icon.starts_with("$(")) return json::object{{"theme", icon.substr(2, icon.size() - 3)}};
  return json::object{{"light", icon}, {"dark", icon}};
}

json::value tool_json(const CatalogTool& tool) {
  const ToolData& data = tool.data();
  json::object out{{"id", data.id}, {"source", name_of(data.source.kind)}};
  if (data.source.kind != ToolSource::Kind::Internal) out["source_label"] = data.source.label;
  const auto& when = tool.record->when();
  out["when"] = when ? json::value(when->text()) : json::value(nullptr);
  out["always_display_input_output"] = data.always_display_input_output;
  out["icon"] = icon_json(data.icon);
  return out;
}

json::value set_json(const Catalog& catalog, const CatalogSet& set) {
  json::array members;
  for (const std::uint32_t tool : catalog.members_of(set))
    members.emplace_back(catalog.tools[tool].data().id);
  json::object out{{"id", set.data->id},
                   {"reference_name", set.reference_name},
                   {"source", name_of(set.data->source.kind)},
                   {"members", std::move(members)}};
  if (!set.data->description.empty()) out["description"] = set.data->description;
  if (!set.data->legacy_full_names.empty()) {
    json::array names(set.data->legacy_full_names.begin(), set.data->legacy_full_names.end());
    out["legacy_full_names"] = std::move(names);
  }
  return out;
}

// Extensions and what was there before, either in a registry or, to see what the original does
// where our registry takes less, in a catalogue made of the same parts.
class World {
 public:
  World(const json::value& entry, bool use_registry) : use_registry_(use_registry) {
    if (const json::value* tools = find(entry, "existing_tools"))
      for (const json::value& tool : tools->as_array()) add_existing(tool);
    if (const json::value* sets = find(entry, "existing_sets"))
      for (const json::value& set : sets->as_array()) add_existing_set(set);
  }

  void add_existing(const json::value& tool) {
    ToolData data;
    data.id = data.display_name = text_in(tool, "id");
    data.model_description = "d";
    data.reference_name = text_in(tool, "toolReferenceName");
    existing_.push_back(data.id);
    add_tool(std::move(data));
  }

  // As the original: the tools of all extensions, with their own sets, then the sets of all.
  void add_extensions(const std::vector<ExtensionManifest>& manifests) {
    for (const ExtensionManifest& manifest : manifests) {
      for (const ManifestFault& fault : manifest.faults) note(fault.kind);
      ExtensionManifest tools = manifest;
      std::erase_if(tools.sets, [](const ToolSetData& set) { return set.needs_member; });
      add_manifest(std::move(tools));
    }
    for (const ExtensionManifest& manifest : manifests) {
      ExtensionManifest sets = manifest;
      sets.tools.clear();
      std::erase_if(sets.sets, [](const ToolSetData& set) { return !set.needs_member; });
      add_manifest(std::move(sets));
    }
    for (const ExtensionManifest& manifest : manifests)
      for (const ManifestFault& fault : sets_without_members(*catalog(), manifest))
        note(fault.kind);
  }

  json::array tools() const {
    json::array out;
    for (const CatalogTool& tool : catalog()->tools)
      if (std::ranges::find(existing_, tool.data().id) == existing_.end())
        out.push_back(tool_json(tool));
    return out;
  }

  // The built-in ones only if something was added to them.
  json::array sets() const {
    json::array out;
    const auto all = catalog();
    for (const CatalogSet& set : all->sets)
      if (set.data->source.kind != ToolSource::Kind::Internal || !set.tools.empty())
        out.push_back(set_json(*all, set));
    return out;
  }

  const json::array& errors() const { return errors_; }
  const json::array& set_errors() const { return set_errors_; }

 private:
  std::shared_ptr<const Catalog> catalog() const {
    return use_registry_ ? registry_.catalog() : build_catalog(parts_, 1);
  }

  // Kinds that only we report are left out.
  void note(std::string_view kind) {
    constexpr std::array<std::string_view, 7> kOfTools{"missing_required_field",
                                                       "invalid_name",
                                                       "referencable_without_reference_name",
                                                       "reserved_name_prefix",
                                                       "reserved_tag_prefix",
                                                       "legacy_names_need_proposal",
                                                       "duplicate_id"};
    constexpr std::array<std::string_view, 4> kOfSets{"tool_sets_need_proposal", "blank_set_name",
                                                      "empty_tools", "no_member_found"};
    if (std::ranges::find(kOfTools, kind) != kOfTools.end()) errors_.emplace_back(kind);
    if (std::ranges::find(kOfSets, kind) != kOfSets.end()) set_errors_.emplace_back(kind);
    if (kind == "refused") errors_.emplace_back(kind);
  }

  bool add_tool(ToolData data) {
    if (use_registry_) {
      auto added = registry_.add_data(std::move(data));
      if (added) registrations_.push_back(std::move(*added));
      return added.has_value();
    }
    for (const auto& entry : parts_.tools)
      if (entry.record->data().id == data.id) return false;
    parts_.tools.push_back({std::make_shared<const ToolRecord>(std::move(data)), nullptr});
    return true;
  }

  void add_existing_set(const json::value& set) {
    ToolSetData data;
    data.id = text_in(set, "id");
    data.reference_name = text_in(set, "ref");
    add_set(std::move(data));
  }

  void add_set(ToolSetData data) {
    if (!use_registry_) {
      parts_.sets.push_back(std::make_shared<const ToolSetData>(std::move(data)));
      return;
    }
    if (auto added = registry_.add_set(std::move(data)))
      registrations_.push_back(std::move(*added));
  }

  void add_manifest(ExtensionManifest manifest) {
    if (use_registry_) {
      auto result = register_manifest(registry_, std::move(manifest));
      for (const ManifestFault& fault : result.faults) note(fault.kind);
      std::ranges::move(result.registrations, std::back_inserter(registrations_));
      return;
    }
    for (ToolData& tool : manifest.tools) {
      const std::string id = tool.id;
      if (add_tool(std::move(tool))) continue;
      note("duplicate_id");
      for (ToolSetData& set : manifest.sets)
        std::erase_if(set.members, [&](const auto& member) { return member.name == id; });
    }
    for (ToolSetData& set : manifest.sets)
      if (!set.members.empty()) add_set(std::move(set));
  }

  bool use_registry_;
  Registry registry_;
  std::vector<Registration> registrations_;
  CatalogParts parts_;
  std::vector<std::string> existing_;
  json::array errors_;
  json::array set_errors_;
};

std::string tool_outcome(const json::value& entry, bool use_registry) {
  World world(entry, use_registry);
  json::array entries;
  entries.push_back(entry.at("entry"));
  world.add_extensions(
      {manifest_of(entry.at("extension"), json::object{{"languageModelTools", entries}})});
  const json::array tools = world.tools();
  const json::array sets = world.sets();
  json::object out{{"accepted", !tools.empty()}, {"errors", world.errors()}};
  out["tool"] = tools.empty() ? json::value(nullptr) : tools.front();
  out["synthetic_set"] = sets.empty() ? json::value(nullptr) : sets.front();
  return write_json(out);
}

// What an editor would mark is no matter here.
std::string without_schema_verdict(const json::value& expected) {
  json::object out = expected.as_object();
  out.stable_erase(out.find("schema_ok"));
  return write_json(out);
}

std::string list_outcome(const json::value& entry, bool use_registry) {
  World world(entry, use_registry);
  std::vector<ExtensionManifest> manifests;
  for (const json::value& extension : entry.at("extensions").as_array())
    manifests.push_back(manifest_of(extension, extension.at("contributes")));
  world.add_extensions(manifests);
  json::object out{{"tools", world.tools()},
                   {"tool_sets", world.sets()},
                   {"errors", world.errors()},
                   {"set_errors", world.set_errors()}};
  if (const json::value* later = find(entry, "registered_later")) {
    for (const json::value& tool : later->as_array()) world.add_existing(tool);
    out["tool_sets_after_later"] = world.sets();
  }
  return write_json(out);
}

bool accepts(const json::value& extension, json::object changes, std::string_view kind) {
  json::object tool{{"name", "t"}, {"displayName", "T"}, {"modelDescription", "d"}};
  for (const auto& [key, value] : changes) tool[key] = value;
  json::object contributes{{"languageModelTools", json::array({tool})}};
  if (kind == "tool_sets_need_proposal")
    contributes["languageModelToolSets"] =
        json::array({json::object{{"name", "s"}, {"tools", json::array({"t"})}}});
  const auto manifest = manifest_of(extension, contributes);
  return std::ranges::find(manifest.faults, kind, &ManifestFault::kind) == manifest.faults.end();
}

std::string split_outcome(const json::value& extension) {
  return write_json(json::object{
      {"may_use_reserved_name_prefix",
       accepts(extension, {{"name", "vscode_t"}}, "reserved_name_prefix")},
      {"may_use_reserved_tag_prefix",
       accepts(extension, {{"tags", json::array({"vscode_t"})}}, "reserved_tag_prefix")},
      {"may_use_legacy_names",
       accepts(extension, {{"legacyToolReferenceFullNames", json::array({"old"})}},
               "legacy_names_need_proposal")},
      {"may_contribute_tool_sets", accepts(extension, {}, "tool_sets_need_proposal")}});
}

// Fires when it is told to.
struct Clock {
  std::chrono::milliseconds delay{0};
  std::function<void()> fire;

  void pass() {
    if (auto due = std::exchange(fire, nullptr)) due();
  }
};

class ClockTimer final : public ChangeTimer {
 public:
  explicit ClockTimer(Clock& clock) : clock_(clock) {}
  void start(std::chrono::milliseconds delay, std::function<void()> fire) override {
    clock_.delay = delay;
    clock_.fire = std::move(fire);
  }
  void stop() override { clock_.fire = nullptr; }

 private:
  Clock& clock_;
};

class RegistrySteps {
 public:
  RegistrySteps() : registry_(std::make_unique<ClockTimer>(clock_)) {
    listening_ = registry_.on_change([this](const auto&) { ++events_; });
  }

  // False: no such step is known.
  bool run(std::string_view step) {
    const auto last_word = step.substr(step.rfind(' ') + 1);
    if (step.starts_with("register data")) return add(step);
    if (step.starts_with("wait")) {
      clock_.pass();
      events_ = 0;
    } else if (step == "flush") {
      delay_ = clock_.fire ? clock_.delay.count() : 0;
      registry_.flush();
    } else if (step.starts_with("set ") && step.find("context key ") != step.npos) {
      return registry_.set_context(last_word, "true").has_value();
    } else if (step.starts_with("change setting ")) {
      CatalogSettings settings;
      settings.extension_tools_enabled = last_word != "chat.extensionTools.enabled";
      settings.agent_enabled = last_word != "chat.agent.enabled";
      registry_.set_settings(settings);
    } else {
      return false;
    }
    return true;
  }

  json::object outcome(const json::object& expected) const {
    json::object out;
    for (const auto& [key, value] : expected) {
      if (key == "change_events_after_key_change") out[key] = events_;
      if (key == "delay_ms_without_flush") out[key] = delay_;
    }
    return out;
  }

 private:
  bool add(std::string_view step) {
    ToolData data;
    data.id = fmt::format("t{}", registrations_.size());
    data.display_name = data.model_description = "d";
    if (const auto quote = step.find('"'); quote != step.npos)
      data.when = step.substr(quote + 1, step.rfind('"') - quote - 1);
    auto added = registry_.add_data(std::move(data));
    if (added) registrations_.push_back(std::move(*added));
    return added.has_value();
  }

  Clock clock_;
  Registry registry_;
  Registration listening_;
  std::vector<Registration> registrations_;
  std::int64_t events_ = 0;
  std::int64_t delay_ = 0;
};

void run_registry(const json::value& entry, Tally& tally) {
  RegistrySteps steps;
  for (const json::value& step : entry.at("steps").as_array()) {
    if (steps.run(step.as_string())) continue;
    ++tally.skipped;
    fmt::print("skipped: {}: the step {} is not known\n", text_in(entry, "id"), write_json(step));
    return;
  }
  tally.compare(text_in(entry, "id"), write_json(entry.at("expected")),
                write_json(steps.outcome(entry.at("expected").as_object())));
}

void compare_both(const json::value& entry, const std::string& expected,
                  std::string (*outcome)(const json::value&, bool), Tally& tally) {
  const std::string_view id = text_in(entry, "id");
  const std::string ours = outcome(entry, true);
  if (ours != expected && outcome(entry, false) == expected)
    tally.differ(id, "names that models take");
  else
    tally.compare(id, expected, ours);
}

}  // namespace

void run_manifest(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    const std::string_view type = text_in(entry, "type");
    const json::value& expected = entry.at("expected");
    if (type == "tool")
      compare_both(entry, without_schema_verdict(expected), tool_outcome, tally);
    else if (type == "extension_list")
      compare_both(entry, write_json(expected), list_outcome, tally);
    else if (type == "proposal_split")
      tally.compare(text_in(entry, "id"), write_json(expected),
                    split_outcome(entry.at("extension")));
    else if (type == "activation_event")
      tally.compare(text_in(entry, "id"), std::string(expected.as_string()),
                    activation_event(text_in(entry, "tool")));
    else if (type == "registry")
      run_registry(entry, tally);
    else
      tally.compare(text_in(entry, "id"), "a known type", std::string(type));
  }
}

}  // namespace toolgate
