#include "agent/offer_tools.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "async/offload.h"
#include "base/json.h"
#include "invoke/result_limits.h"
#include "tools/tool_record.h"
#include "tools/virtual_tools.h"
#include "wire/chat_message.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostWarnings = 20;      // of one kind in one answer
constexpr std::size_t kMostToolsOnLoop = 256;  // more are chosen and grouped beside the loop

// The one who asks is the one who is told: everything a request says about registered tools.
struct Wish {
  std::string user_text;  // of the last user message, if it may name tools
  ToolFilter filter;
  bool everything = false;  // but for the filter
};

std::size_t last_user_message(const ChatRequest& request) {
  std::size_t number = request.messages.size();
  while (number > 0 && request.messages[number - 1].role != Role::User) --number;
  return number;  // one behind it; 0: there is none
}

std::string text_with_references(const ChatRequest& request) {
  const std::size_t number = last_user_message(request);
  if (number == 0 || !request.messages[number - 1].raw.contains('#')) return {};
  const auto message = parse_json(request.messages[number - 1].raw);
  return message ? message_text(*message) : std::string();
}

// The lists are the wish's afterwards.
Wish take_wish(ChatRequest& request, bool has_tools) {
  Wish wish;
  if (has_tools) wish.user_text = text_with_references(request);
  wish.everything = request.use_registered_tools || request.include_tools.has_value();
  wish.filter.include = std::move(request.include_tools);
  wish.filter.exclude = std::move(request.exclude_tools);
  return wish;
}

ModelFacts facts_of(const ModelInfo& model) {
  return {.vendor = model.owned_by, .family = model.family, .version = {}, .id = model.id};
}

bool is_private(const CatalogTool& tool) {
  return tool.data().is_private;
}

std::string_view own_set(const Catalog& catalog, const CatalogTool& tool) {
  return tool.sets.empty() ? std::string_view() : catalog.sets[tool.sets[0]].reference_name;
}

std::shared_ptr<const GroupTree> group(const Catalog& catalog,
                                       const std::vector<std::uint32_t>& tools,
                                       const GroupSettings& settings) {
  std::vector<std::string> keys;
  keys.reserve(tools.size());
  std::vector<OfferedTool> offered;
  offered.reserve(tools.size());
  for (const std::uint32_t index : tools) {
    const CatalogTool& tool = catalog.tools[index];
    const ToolData& data = tool.data();
    keys.push_back(source_group_key(data.source));
    offered.push_back(
        {data.id, data.model_description, keys.back(), data.source.label, own_set(catalog, tool)});
  }
  return group_tools(offered, settings);
}

void append_entry(AddedTools& added, std::string name, std::string reference_name,
                  std::string_view json) {
  if (!added.text.empty()) added.text += ',';
  added.tools.push_back(
      {std::move(name), std::move(reference_name), added.text.size(), json.size()});
  added.text += json;
}

std::string group_json(const ToolGroup& group) {
  return function_json({group.name, group.description, R"({"type":"object","properties":{}})"});
}

// As this model is told about the tool, if not as everyone. The name stays what it is called by.
std::optional<NormalizedTool> special_definition(const CatalogTool& tool,
                                                 const OfferSettings& settings) {
  if (!tool.implementation) return std::nullopt;
  auto other = tool.implementation->alternative_definition(definition_of(tool.data()),
                                                           facts_of(settings.model));
  if (!other) return std::nullopt;
  other->name = tool.data().id;
  auto made = normalize_tool(function_json(*other), {.changes = settings.changes});
  if (made) return std::move(*made);
  NormalizedTool unusable;
  unusable.fault.emplace().reason = made.error().message;
  return unusable;
}

void append_tool(ToolOffers::Added& added, AddedTools& list, const CatalogTool& tool,
                 const OfferSettings& settings) {
  const ToolData& data = tool.data();
  const auto special = special_definition(tool, settings);
  const NormalizedTool& shaped = special ? *special : tool.record->shaped(settings.changes);
  if (!shaped.fault) {
    append_entry(list, data.id, data.reference_name, shaped.text);
    return;
  }
  if (added.warnings.size() < kMostWarnings)
    added.warnings.push_back(fmt::format(
        "tool '{}' is left out, its schema cannot be used: {}{}{}", data.id, shaped.fault->reason,
        shaped.fault->advice.empty() ? "" : "; ", shaped.fault->advice));
}

ToolOffers::Added write_tools(const Catalog& catalog, const std::vector<std::uint32_t>& tools,
                              const std::vector<VisibleTool>& visible,
                              const OfferSettings& settings) {
  ToolOffers::Added added;
  auto list = std::make_shared<AddedTools>();
  for (const VisibleTool& entry : visible) {
    if (entry.group != nullptr)
      append_entry(*list, entry.group->name, {}, group_json(*entry.group));
    else
      append_tool(added, *list, catalog.tools[tools[entry.tool]], settings);
  }
  added.tools = std::move(list);
  return added;
}

std::string key_of(const std::vector<std::uint32_t>& tools, const std::vector<VisibleTool>& visible,
                   const OfferSettings& settings) {
  std::string key = fmt::format("{}\n{}\n", settings.model.id, settings.changes);
  for (const VisibleTool& entry : visible) {
    if (entry.group != nullptr) {
      key += entry.group->name + '\n';
      continue;
    }
    const std::uint32_t index = tools[entry.tool];
    key.append(reinterpret_cast<const char*>(&index), sizeof index);
  }
  return key;
}

// What the model has called so far opens groups again: the history is the state, so that any
// gateway can go on with a conversation. The answers to calls of groups are ours to give. An id
// counts for the answers right behind it only: some models number their calls anew each turn.
void replay_calls(ChatRequest& request, VirtualTools& groups) {
  std::unordered_map<std::string, std::string> opened;  // results by call id
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const ChatMessage& message = request.messages[i];
    if (message.role != Role::Assistant && (message.role != Role::Tool || opened.empty())) continue;
    auto parsed = parse_json(message.raw);
    if (!parsed) continue;
    if (message.role == Role::Assistant) {
      opened.clear();
      const auto calls = calls_in(*parsed);
      for (const MessageCall& call : calls)
        if (auto result = groups.did_call(call.name)) opened[call.id] = std::move(*result);
      if (!calls.empty()) groups.did_take_turn();
      continue;
    }
    const auto answered = opened.find(std::string(id_of_answer(*parsed)));
    if (answered == opened.end()) continue;
    parsed->as_object()["content"] = answered->second;
    opened.erase(answered);
    request.replaced_messages.push_back({i, write_json(*parsed)});
  }
}

class Offering {
 public:
  Offering(ChatRequest& request, const Catalog& catalog, const OfferSettings& settings,
           ToolOffers& offers, TurnReport& report)
      : request_(request),
        catalog_(catalog),
        settings_(settings),
        offers_(offers),
        report_(report),
        facts_(facts_of(settings.model)) {}

  Task<Result<void>> run(const Wish& wish, const Cancel& cancel) {
    asked_ = wish.everything;
    if (asked_) {
      auto choice = co_await choose(wish.filter, cancel);
      if (!*choice) co_return std::unexpected(choice->error());
      tools_ = (*choice)->tools;
      tell((*choice)->warnings);
      if (tools_.empty() && !std::ranges::all_of(catalog_.tools, is_private))
        report_.warnings.push_back("use_vscode_tools: no registered tool is enabled");
    }
    if (!wish.user_text.empty()) co_await add_references(wish, cancel);
    if (request_.names_results) add_result_reader(wish.filter);
    drop_client_names();
    if (!tools_.empty() && !offer_named_tool())
      if (auto shown = co_await show(cancel); !shown) co_return shown;
    if (settings_.chosen) *settings_.chosen = tools_;
    if (wish.filter.include && request_.added && request_.added->tools.empty())
      co_return fail_at("include_tools", Errc::InvalidRequest,
                        "include_tools leaves no tool that can be offered: {}",
                        report_.warnings.empty() ? "" : report_.warnings.back());
    co_return Result<void>{};
  }

 private:
  Task<ToolOffers::Choice> choose(const ToolFilter& filter, const Cancel& cancel);
  Task<> add_references(const Wish& wish, const Cancel& cancel);
  Task<std::vector<char>> excluded_tools(const ToolFilter& filter, const Cancel& cancel);
  void add_result_reader(const ToolFilter& filter);
  void drop_client_names();
  bool offer_named_tool();
  Task<Result<ToolOffers::Tree>> find_groups(std::size_t limit, const Cancel& cancel);
  std::size_t wanted_entries() const {
    return settings_.threshold > 0 ? static_cast<std::size_t>(settings_.threshold) : 0;
  }
  Task<Result<void>> show(const Cancel& cancel);
  Task<Result<void>> show_in_groups(std::size_t limit, const Cancel& cancel);
  void open_referenced(VirtualTools& groups, std::size_t limit) const;
  void offer_what_fits(std::size_t limit);
  void offer_all();
  void offer(const ToolOffers::Tree& tree, const std::vector<VisibleTool>& visible);
  void tell(const std::vector<std::string>& warnings) {
    report_.warnings.insert(report_.warnings.end(), warnings.begin(), warnings.end());
  }

  ChatRequest& request_;
  const Catalog& catalog_;
  const OfferSettings& settings_;
  ToolOffers& offers_;
  TurnReport& report_;
  const ModelFacts facts_;
  bool asked_ = false;  // by a field of the request, not by a reference alone
  ToolOffers::Tools tools_;
  ReferencedTools referenced_;
};

Task<ToolOffers::Choice> Offering::choose(const ToolFilter& filter, const Cancel& cancel) {
  const std::string model = fmt::format("{}\n{}\n{}", facts_.id, facts_.vendor, facts_.family);
  ToolOffers::Choice choice = offers_.find_choice(catalog_, model, filter);
  if (choice) co_return choice;
  const auto select = [&] { return select_tools(catalog_, &facts_, filter); };
  const bool here = catalog_.tools.size() <= kMostToolsOnLoop;
  auto made = here ? select() : co_await offload(select, cancel);
  choice = std::make_shared<const Result<Selection>>(std::move(made));
  if (!cancel.requested()) offers_.keep(catalog_, model, filter, choice);
  co_return choice;
}

// A flag for each tool of the catalogue. What exclude_tools names is off, whoever refers to it.
Task<std::vector<char>> Offering::excluded_tools(const ToolFilter& filter, const Cancel& cancel) {
  std::vector<char> excluded(catalog_.tools.size());
  if (!filter.exclude || filter.exclude->empty()) co_return excluded;
  ToolFilter others;
  others.exclude = filter.exclude;
  const auto choice = co_await choose(others, cancel);
  excluded.assign(catalog_.tools.size(), 1);
  if (*choice)
    for (const std::uint32_t tool : (*choice)->tools) excluded[tool] = 0;
  co_return excluded;
}

Task<> Offering::add_references(const Wish& wish, const Cancel& cancel) {
  referenced_ = referenced_tools(wish.user_text, catalog_, &facts_);
  const auto excluded = co_await excluded_tools(wish.filter, cancel);
  std::vector<char> present(catalog_.tools.size());
  for (const std::uint32_t tool : tools_) present[tool] = 1;
  const auto add = [&](std::uint32_t tool) {
    if (!catalog_.tools[tool].enabled() || std::exchange(present[tool], 1)) return;
    if (excluded[tool])
      report_.warnings.push_back(fmt::format("tool '{}' is referenced, but exclude_tools names it",
                                             catalog_.tools[tool].data().id));
    else
      tools_.push_back(tool);
  };
  std::ranges::for_each(referenced_.tools, add);
  for (const std::uint32_t set : referenced_.sets)
    std::ranges::for_each(catalog_.members_of(catalog_.sets[set], &facts_), add);
  for (const std::string& name : referenced_.unknown)
    report_.warnings.push_back(fmt::format("#tool:{} names no tool that is enabled", name));
}

// It shows as if someone had referred to it, in no group.
void Offering::add_result_reader(const ToolFilter& filter) {
  const CatalogTool* reader = catalog_.find_tool(kReadResult);
  if (!reader || !reader->enabled()) return;
  const auto has = [](const auto& list, const auto& item) {
    return std::ranges::find(list, item) != list.end();
  };
  if (filter.exclude && has(*filter.exclude, kReadResult)) return;
  const auto index = static_cast<std::uint32_t>(reader - catalog_.tools.data());
  if (has(tools_, index)) return;
  tools_.push_back(index);
  referenced_.tools.push_back(index);
}

void Offering::drop_client_names() {
  for (const ChatTool& tool : request_.tools) {
    const CatalogTool* ours = catalog_.find_tool(tool.name);
    if (ours == nullptr) continue;
    const auto index = static_cast<std::uint32_t>(ours - catalog_.tools.data());
    if (std::erase(tools_, index) > 0)
      report_.warnings.push_back(fmt::format(
          "tool '{}': the client's tool of this name is offered instead of the registered one",
          tool.name));
  }
}

// A tool that must be called is sent alone, so that it needs no group and no place.
bool Offering::offer_named_tool() {
  if (request_.tool_mode != ToolMode::Named) return false;
  const auto is_named = [&](std::uint32_t tool) {
    return catalog_.tools[tool].data().id == request_.tool_choice_name;
  };
  const auto named = std::ranges::find_if(tools_, is_named);
  if (named == tools_.end()) return false;
  tools_ = {*named};
  offer_all();
  return true;
}

Task<Result<ToolOffers::Tree>> Offering::find_groups(std::size_t limit, const Cancel& cancel) {
  GroupSettings settings;
  settings.threshold = settings_.threshold;
  // So that no more than the threshold show before the model opens a group.
  settings.limit = std::min(limit, std::max(kMinToolLimit, wanted_entries()));
  for (const ChatTool& tool : request_.tools)
    if (tool.name.starts_with(kGroupNamePrefix)) settings.taken.push_back(tool.name);
  std::string plan =
      fmt::format("{} {} {}", settings.threshold, settings.limit, fmt::join(settings.taken, " "));
  const auto now = std::chrono::steady_clock::now();
  const auto names = settings_.naming_model ? settings_.group_names->table : nullptr;
  if (names) plan += fmt::format(" {} {}", settings_.naming_model->info().id, names->stage(now));
  if (auto known = offers_.find_tree(catalog_, tools_, plan)) co_return known;
  NamingWish wish{settings_.naming_model, {}, {}};
  std::optional<KnownGroupNames> namer;
  if (names) settings.namer = &namer.emplace(*names, now, wish);
  const auto make = [&]() -> Result<ToolOffers::Tree> { return group(catalog_, tools_, settings); };
  const bool here = tools_.size() <= kMostToolsOnLoop;
  auto made = here ? make() : co_await offload(make, cancel);
  if (!made) co_return made;
  offers_.keep(catalog_, tools_, std::move(plan), *made);
  if (!wish.groups.empty()) settings_.group_names->ask(std::move(wish));
  co_return made;
}

// The client's own tools take their places first.
Task<Result<void>> Offering::show(const Cancel& cancel) {
  const std::size_t taken = request_.tools.size();
  const std::size_t limit = settings_.limit - std::min(settings_.limit, taken);
  const bool fits = tools_.size() <= limit;
  GroupSettings wanted;
  wanted.threshold = settings_.threshold;
  if (fits && !should_group(tools_.size() + taken, wanted)) {
    offer_all();
    co_return Result<void>{};
  }
  const bool can_group = limit >= kMinToolLimit && settings_.threshold > 0;
  if (can_group) co_return co_await show_in_groups(limit, cancel);
  if (fits || !asked_) {
    offer_what_fits(limit);
    co_return Result<void>{};
  }
  if (settings_.threshold <= 0)
    co_return fail_at("use_vscode_tools", Errc::InvalidRequest,
                      "{} registered tools and {} of the client are more than {} "
                      "(toolgate.limits.tools), and grouping is off "
                      "(github.copilot.chat.virtualTools.threshold); name those wanted in "
                      "include_tools",
                      tools_.size(), taken, settings_.limit);
  co_return fail_at("tools", Errc::InvalidRequest,
                    "{} tools of the client leave {} places for {} registered ones, {} are needed "
                    "at least (toolgate.limits.tools is {}); send fewer tools or name those wanted "
                    "in include_tools",
                    taken, limit, tools_.size(), kMinToolLimit, settings_.limit);
}

// A word in a prompt must not make a request fail that would do without it.
void Offering::offer_what_fits(std::size_t limit) {
  if (tools_.size() > limit) {
    report_.warnings.push_back(
        fmt::format("{} of {} referenced tools are not offered: the client's tools leave {} places "
                    "(toolgate.limits.tools)",
                    tools_.size() - limit, tools_.size(), limit));
    tools_.resize(limit);
  }
  if (!tools_.empty()) offer_all();
}

// Tools that a person named, and members of sets so named, as many as may show at all.
void Offering::open_referenced(VirtualTools& groups, std::size_t limit) const {
  std::size_t named = 0;
  const auto open = [&](std::uint32_t tool) {
    if (named++ < limit) groups.ensure_expanded(catalog_.tools[tool].data().id);
  };
  std::ranges::for_each(referenced_.tools, open);
  for (const std::uint32_t set : referenced_.sets)
    std::ranges::for_each(catalog_.members_of(catalog_.sets[set], &facts_), open);
}

Task<Result<void>> Offering::show_in_groups(std::size_t limit, const Cancel& cancel) {
  auto tree = co_await find_groups(limit, cancel);
  if (!tree) co_return std::unexpected(tree.error());
  VirtualToolSettings virtual_settings;
  virtual_settings.limit = limit;
  VirtualTools groups(*tree, virtual_settings);
  replay_calls(request_, groups);
  open_referenced(groups, limit);
  const std::vector<VisibleTool>& visible = groups.compute();
  const auto closed = std::ranges::count_if(
      visible, [](const VisibleTool& entry) { return entry.group != nullptr; });
  if (closed > 0)
    report_.warnings.push_back(
        fmt::format("{} tools are offered through {} groups: a model opens one by calling it",
                    tools_.size(), closed));
  offer(*tree, visible);
  co_return Result<void>{};
}

void Offering::offer_all() {
  std::vector<VisibleTool> all(tools_.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i].tool = i;
  offer(nullptr, all);
}

void Offering::offer(const ToolOffers::Tree& tree, const std::vector<VisibleTool>& visible) {
  std::string key = key_of(tools_, visible, settings_);
  auto added = offers_.find_added(catalog_, tree, key);
  if (!added) {
    added = std::make_shared<const ToolOffers::Added>(
        write_tools(catalog_, tools_, visible, settings_));
    offers_.keep(catalog_, tree, std::move(key), added);
  }
  request_.added = added->tools;
  tell(added->warnings);
}

}  // namespace

Task<Result<void>> offer_tools(ChatRequest& request, const Catalog& catalog,
                               const OfferSettings& settings, ToolOffers& offers,
                               TurnReport& report, const Cancel& cancel) {
  const Wish wish = take_wish(request, !catalog.tools.empty());
  if (wish.filter.exclude && !wish.everything && wish.user_text.empty())
    report.warnings.push_back(
        "exclude_tools has no effect without use_vscode_tools, include_tools or a reference");
  if (!wish.everything && wish.user_text.empty()) co_return Result<void>{};
  if (!settings.model.tool_calling) {
    report.warnings.push_back(
        fmt::format("no registered tools are offered: the model '{}' takes none (toolCalling)",
                    settings.model.id));
    co_return Result<void>{};
  }
  Offering offering(request, catalog, settings, offers, report);
  co_return co_await offering.run(wish, cancel);
}

}  // namespace toolgate
