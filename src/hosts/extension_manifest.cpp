#include "hosts/extension_manifest.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <unordered_set>

#include "base/ascii.h"
#include "base/json.h"
#include "hosts/manifest_icon.h"
#include "hosts/manifest_text.h"
#include "tools/when.h"

namespace toolgate {
namespace {

constexpr std::string_view kPrivateProposal = "chatParticipantPrivate";
constexpr std::string_view kSetsProposal = "contribLanguageModelToolSets";
constexpr std::array<std::string_view, 2> kReservedPrefixes{"copilot_", "vscode_"};
constexpr std::string_view kSyntheticPrefix = "synthetic-toolset:";

bool has_reserved_prefix(std::string_view text) {
  return std::ranges::any_of(kReservedPrefixes,
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_ascii_letter_or_digit(c) || c == '_' || c == '-';
  });
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == text.npos;
}

// As the original would decide: anything but false, 0, "" and null.
bool is_truthy(const json::value* value) {
  if (value == nullptr || value->is_null()) return false;
  if (value->is_bool()) return value->get_bool();
  if (value->is_string()) return !value->get_string().empty();
  if (value->is_number()) return value->to_number<double>() != 0;
  return true;
}

std::string text_in(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  if (member == nullptr || !member->is_string()) return {};
  return std::string(member->get_string());
}

// The strings of a list; what is something else is left out.
std::vector<std::string> texts_in(const json::value& value, std::string_view key) {
  std::vector<std::string> texts;
  const json::value* member = find(value, key);
  if (member == nullptr || !member->is_array()) return texts;
  for (const json::value& text : member->get_array())
    if (text.is_string()) texts.emplace_back(text.get_string());
  return texts;
}

class ManifestReader {
 public:
  explicit ManifestReader(const ManifestOptions& options) : options_(options) {}

  ExtensionManifest read(std::string_view package, std::string_view nls) {
    auto parsed = parse_jsonc(without_mark(package));
    if (!parsed || !parsed->is_object()) {
      add_fault("invalid_manifest",
                parsed ? "package.json must hold an object"
                       : fmt::format("package.json is not JSON: {}", parsed.error().message),
                "give the folder of an unpacked VS Code extension");
      return std::move(manifest_);
    }
    read_identity(*parsed);
    resolve_texts(*parsed, nls);
    manifest_.display_name = text_in(*parsed, "displayName");
    if (manifest_.display_name.empty()) manifest_.display_name = text_in(*parsed, "name");
    source_ = make_source();
    const json::value* contributes = find(*parsed, "contributes");
    if (contributes != nullptr) read_contributions(*contributes);
    manifest_.activation_events = texts_in(*parsed, "activationEvents");
    for (const ToolData& tool : manifest_.tools) {
      std::string event = activation_event(tool.id);
      if (std::ranges::find(manifest_.activation_events, event) ==
          manifest_.activation_events.end())
        manifest_.activation_events.push_back(std::move(event));
    }
    return std::move(manifest_);
  }

 private:
  static std::string_view without_mark(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    return text;
  }

  void add_fault(std::string_view kind, std::string message, std::string advice) {
    manifest_.faults.push_back({std::string(kind), std::move(message), std::move(advice)});
  }

  // A fault of one entry: "the tool 'x' (languageModelTools[2]) of the extension 'a.b' …".
  void add_entry_fault(std::string_view kind, std::string_view what, std::string advice) {
    add_fault(kind, fmt::format("{} of the extension '{}' {}", entry_, manifest_.id, what),
              std::move(advice));
  }

  void read_identity(const json::value& package) {
    std::string publisher = text_in(package, "publisher");
    if (publisher.empty()) publisher = "undefined_publisher";
    manifest_.id = publisher + "." + text_in(package, "name");
    built_in_ = equal_ignoring_case(manifest_.id, options_.chat_extension_id);
    if (!options_.grant_proposals) return;
    for (const std::string& proposal : texts_in(package, "enabledApiProposals"))
      proposals_.insert(proposal.substr(0, proposal.find('@')));
  }

  void resolve_texts(json::value& package, std::string_view nls) {
    ManifestTexts texts(without_mark(nls));
    if (!texts.error().empty())
      add_fault("invalid_texts",
                fmt::format("package.nls.json of the extension '{}' cannot be read: {}",
                            manifest_.id, texts.error()),
                "mend the file, or remove it");
    for (const std::string_view key : {"displayName", "contributes"})
      if (json::value* member = package.get_object().if_contains(key)) texts.resolve(*member);
    if (!texts.missing().empty())
      add_fault("missing_texts",
                fmt::format("the extension '{}' refers to texts that its package.nls.json has not: "
                            "{}",
                            manifest_.id, fmt::join(texts.missing(), ", ")),
                "add them to package.nls.json");
  }

  ToolSource make_source() const {
    ToolSource source;
    if (built_in_) return source;
    source.kind = ToolSource::Kind::Extension;
    source.id = manifest_.id;
    source.label = manifest_.display_name;
    return source;
  }

  void read_contributions(const json::value& contributes) {
    const json::value* sets = find(contributes, "languageModelToolSets");
    const bool has_sets = sets != nullptr && sets->is_array() && !sets->get_array().empty();
    read_list(contributes, "languageModelTools", &ManifestReader::read_tool);
    if (!has_sets) {
      add_synthetic_set();
      if (sets == nullptr || sets->is_array()) return;
    } else if (!proposals_.contains(kSetsProposal)) {
      add_fault("tool_sets_need_proposal",
                fmt::format("the extension '{}' contributes languageModelToolSets without the "
                            "proposal '{}'",
                            manifest_.id, kSetsProposal),
                "add it to \"enabledApiProposals\"");
      return;
    }
    read_list(contributes, "languageModelToolSets", &ManifestReader::read_set);
  }

  void read_list(const json::value& contributes, std::string_view key,
                 void (ManifestReader::*read)(const json::value&)) {
    const json::value* list = find(contributes, key);
    if (list == nullptr) return;
    if (!list->is_array()) {
      add_fault("not_a_list",
                fmt::format("{} of the extension '{}' must be a list", key, manifest_.id), {});
      return;
    }
    std::size_t index = 0;
    for (const json::value& entry : list->get_array()) {
      const std::string name = text_in(entry, "name").substr(0, 100);
      entry_ = fmt::format("{}[{}]", key, index++);
      if (!name.empty())
        entry_ = fmt::format("the {} '{}' ({})", key == "languageModelTools" ? "tool" : "tool set",
                             name, entry_);
      (this->*read)(entry);
    }
  }

  void read_tool(const json::value& entry) {
    ToolData tool;
    tool.id = text_in(entry, "name");
    tool.display_name = text_in(entry, "displayName");
    tool.model_description = text_in(entry, "modelDescription");
    tool.reference_name = text_in(entry, "toolReferenceName");
    if (!may_register(entry, tool)) return;
    tool.user_description = text_in(entry, "userDescription");
    tool.tags = texts_in(entry, "tags");
    tool.legacy_full_names = texts_in(entry, "legacyToolReferenceFullNames");
    if (const json::value* schema = find(entry, "inputSchema"); is_truthy(schema))
      tool.input_schema = write_json(*schema);
    if (const json::value* can = find(entry, "canBeReferencedInPrompt"))
      tool.can_be_referenced_in_prompt = is_truthy(can);
    tool.icon = icon_of(find(entry, "icon"), options_.root);
    tool.when = condition_of(entry);
    tool.source = source_;
    tool.always_display_input_output = !built_in_;
    manifest_.tools.push_back(std::move(tool));
  }

  // The checks in their order; the first that fails is the one reported.
  bool may_register(const json::value& entry, const ToolData& tool) {
    if (tool.id.empty() || tool.model_description.empty() || tool.display_name.empty()) {
      add_entry_fault("missing_required_field",
                      "needs 'name', 'modelDescription' and 'displayName' with a text",
                      "add what is missing");
      return false;
    }
    if (!is_name(tool.id)) {
      add_entry_fault("invalid_name",
                      "has a name with other characters than letters, digits, '_' "
                      "and '-'",
                      "rename it");
      return false;
    }
    if (is_truthy(find(entry, "canBeReferencedInPrompt")) && tool.reference_name.empty()) {
      add_entry_fault("referencable_without_reference_name",
                      "can be referenced in a prompt but has no 'toolReferenceName'", "add one");
      return false;
    }
    const bool is_private = proposals_.contains(kPrivateProposal);
    if (has_reserved_prefix(tool.id) && !is_private) {
      add_entry_fault("reserved_name_prefix",
                      "has a name that begins with 'copilot_' or 'vscode_', which are reserved",
                      "rename it");
      return false;
    }
    if (!is_private && std::ranges::any_of(texts_in(entry, "tags"), has_reserved_prefix))
      add_entry_fault("reserved_tag_prefix",
                      "has a tag that begins with 'copilot_' or 'vscode_', which are reserved; it "
                      "is used all the same",
                      "rename the tag");
    if (is_truthy(find(entry, "legacyToolReferenceFullNames")) && !is_private) {
      add_entry_fault("legacy_names_need_proposal",
                      fmt::format("uses 'legacyToolReferenceFullNames' without the proposal '{}'",
                                  kPrivateProposal),
                      "remove them");
      return false;
    }
    if (!ids_.insert(tool.id).second) {
      add_entry_fault("duplicate_id", "is there already; the first one counts",
                      "rename or remove one of them");
      return false;
    }
    return true;
  }

  // One that cannot be read is no condition, as in VS Code; the catalogue says so.
  std::string condition_of(const json::value& entry) {
    const json::value* member = find(entry, "when");
    if (!is_truthy(member)) return {};
    if (!member->is_string()) {
      add_entry_fault("unreadable_when", "has a condition that is no text, so it is always on",
                      "mend \"when\"");
      return {};
    }
    std::string when = text_in(entry, "when");
    return is_blank(when) ? std::string() : when;
  }

  void add_synthetic_set() {
    if (manifest_.tools.empty() || built_in_) return;
    ToolSetData set;
    set.id = std::string(kSyntheticPrefix) + manifest_.id;
    set.reference_name = manifest_.id;
    set.description = manifest_.display_name;
    set.source = source_;
    for (const ToolData& tool : manifest_.tools)
      set.members.push_back({ToolSetMember::By::ToolId, tool.id});
    manifest_.sets.push_back(std::move(set));
  }

  void read_set(const json::value& entry) {
    const std::string name = text_in(entry, "name");
    if (is_blank(name)) {
      add_entry_fault("blank_set_name", "needs a 'name' with a text", "add one");
      return;
    }
    ToolSetData set;
    for (std::string& member : texts_in(entry, "tools"))
      set.members.push_back({ToolSetMember::By::ReferenceName, std::move(member)});
    if (set.members.empty()) {
      add_entry_fault("empty_tools", "needs 'tools' with the reference name of at least one tool",
                      "add some, or remove the set");
      return;
    }
    set.id = fmt::format("toolset:{}/{}", manifest_.id, name);
    set.reference_name = text_in(entry, "referenceName");
    if (set.reference_name.empty()) set.reference_name = name;
    set.description = text_in(entry, "description");
    set.legacy_full_names = texts_in(entry, "legacyFullNames");
    set.icon = icon_of(find(entry, "icon"), options_.root);
    set.source = source_;
    set.needs_member = true;
    if (std::erase_if(manifest_.sets, [&](const auto& other) { return other.id == set.id; }) > 0)
      add_entry_fault("duplicate_set_name", "takes the place of another one of the same name",
                      "rename or remove one of them");
    manifest_.sets.push_back(std::move(set));
  }

  const ManifestOptions& options_;
  ExtensionManifest manifest_;
  std::set<std::string, std::less<>> proposals_;
  std::unordered_set<std::string> ids_;
  bool built_in_ = false;
  ToolSource source_;
  std::string entry_;  // how messages call what is being read
};

}  // namespace

std::string activation_event(std::string_view tool_name) {
  return "onLanguageModelTool:" + std::string(tool_name);
}

ExtensionManifest read_manifest(std::string_view package, std::string_view nls,
                                const ManifestOptions& options) {
  return ManifestReader(options).read(package, nls);
}

RegisteredManifest register_manifest(Registry& registry, ExtensionManifest manifest) {
  RegisteredManifest result;
  std::unordered_set<std::string> added;
  const auto keep = [&](Result<Registration> registration, std::string_view name) {
    if (registration) {
      result.registrations.push_back(std::move(*registration));
      return true;
    }
    const bool taken = registration.error().code == Errc::AlreadyExists;
    result.faults.push_back({taken ? "duplicate_id" : "refused",
                             fmt::format("'{}' of the extension '{}': {}", name, manifest.id,
                                         registration.error().message),
                             taken ? "rename it, or remove one of the two" : ""});
    return false;
  };
  for (ToolData& tool : manifest.tools) {
    const std::string id = tool.id;
    if (keep(registry.add_data(std::move(tool)), id)) added.insert(id);
  }
  for (ToolSetData& set : manifest.sets) {
    if (set.id.starts_with(kSyntheticPrefix)) {
      std::erase_if(set.members, [&](const auto& member) { return !added.contains(member.name); });
      if (set.members.empty()) continue;
    }
    const std::string name = set.reference_name;
    keep(registry.add_set(std::move(set)), name);
  }
  return result;
}

std::vector<ManifestFault> sets_without_members(const Catalog& catalog,
                                                const ExtensionManifest& manifest) {
  std::vector<ManifestFault> faults;
  for (const ToolSetData& set : manifest.sets) {
    // What is built in may have become part of another set.
    if (!set.needs_member || catalog.find_set(set.id) != nullptr) continue;
    if (set.source.kind == ToolSource::Kind::Internal &&
        catalog.find_set_by_reference_name(set.reference_name) != nullptr)
      continue;
    faults.push_back({"no_member_found",
                      fmt::format("the tool set '{}' of the extension '{}' is not made: none of "
                                  "its tools is there",
                                  set.reference_name, manifest.id),
                      "name tools by their toolReferenceName"});
  }
  return faults;
}

}  // namespace toolgate
