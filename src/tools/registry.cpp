#include "toolgate/registry.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>

#include "base/ascii.h"
#include "base/json.h"
#include "tools/catalog_build.h"
#include "tools/tool_record.h"

namespace toolgate {
namespace {

Result<void> check_data(const ToolData& data) {
  if (data.id.empty()) return fail_at("id", Errc::InvalidRequest, "a tool needs an id");
  if (!is_tool_name(data.id))
    return fail_at("id", Errc::InvalidRequest,
                   "the tool id '{}' must be 1 to {} letters, digits, '_' and '-': models take no "
                   "other names",
                   data.id.substr(0, 2 * kMostToolNameBytes), kMostToolNameBytes);
  if (data.source.kind == ToolSource::Kind::External)
    return fail_at("source", Errc::InvalidRequest,
                   "the tool '{}' is external: it describes calls made elsewhere and cannot be "
                   "registered",
                   data.id);
  if (data.input_schema.empty()) return {};
  JsonTree tree;
  const auto schema = tree.parse(data.input_schema);
  if (!schema)
    return fail_at("inputSchema", schema.error().code,
                   "the schema of the tool '{}' is not JSON: {}", data.id, schema.error().message);
  if (!(*schema)->is(JsonNode::Kind::Object))
    return fail_at("inputSchema", Errc::InvalidRequest,
                   "the schema of the tool '{}' must be an object", data.id);
  return {};
}

constexpr std::size_t kMostContextKeys = 50'000;
constexpr std::size_t kMostContextBytes = 64 << 10;  // of one value

bool same(const CatalogSettings& a, const CatalogSettings& b) {
  return a.agent_enabled == b.agent_enabled &&
         a.extension_tools_enabled == b.extension_tools_enabled && a.allow == b.allow &&
         a.deny == b.deny;
}

}  // namespace

// Two locks: `mutex` for what is registered, held for moments; `building` for making a catalogue of
// a copy of it, so that who registers never waits for who reads.
struct Registry::Impl : std::enable_shared_from_this<Impl> {
  struct Entry {
    std::shared_ptr<const ToolRecord> record;
    std::shared_ptr<Tool> implementation;
  };
  using Entries = std::vector<std::shared_ptr<Entry>>;

  Result<std::shared_ptr<Entry>> insert(ToolData data, std::shared_ptr<Tool> tool);
  void remove(const std::shared_ptr<Entry>& entry);
  void watch(const ToolRecord& record, int count);
  // A first registration starts the timer, a changed key or setting starts it anew.
  enum class Restart : bool { No, Yes };
  void changed(Restart restart);
  void fire();
  CatalogParts copy_parts();
  std::shared_ptr<const Catalog> catalog();

  std::mutex mutex;
  Entries entries;  // in the order of registration
  std::unordered_map<std::string_view, std::shared_ptr<Entry>> by_id;  // keys are in the records
  std::vector<std::shared_ptr<const ToolSetData>> sets;
  ContextKeys context;
  std::map<std::string, int, std::less<>> watched;  // keys of `when` clauses, how often used
  CatalogSettings settings;
  std::uint64_t version = 1;
  std::shared_ptr<const Catalog> current;
  std::unique_ptr<ChangeTimer> timer;
  bool pending = false;
  std::vector<std::shared_ptr<const Listener>> listeners;

  std::mutex building;
};

Registry::Registry(std::unique_ptr<ChangeTimer> timer) : impl_(std::make_shared<Impl>()) {
  impl_->timer = std::move(timer);
}

Registry::~Registry() {
  std::unique_ptr<ChangeTimer> timer;
  {
    const std::scoped_lock lock(impl_->mutex);
    timer = std::move(impl_->timer);
  }
  if (timer) timer->stop();
}

Result<Registration> Registry::add_data(ToolData data) {
  return add(std::move(data), nullptr);
}

Result<Registration> Registry::add(ToolData data, std::shared_ptr<Tool> tool) {
  if (auto checked = check_data(data); !checked) return std::unexpected(checked.error());
  auto entry = impl_->insert(std::move(data), std::move(tool));
  if (!entry) return std::unexpected(entry.error());
  return Registration([weak = std::weak_ptr(impl_), entry = *entry] {
    if (const auto impl = weak.lock()) impl->remove(entry);
  });
}

Result<Registration> Registry::add_implementation(std::string_view id, std::shared_ptr<Tool> tool) {
  const std::scoped_lock lock(impl_->mutex);
  const auto found = impl_->by_id.find(id);
  if (found == impl_->by_id.end())
    return fail_at(std::string(id), Errc::ToolNotFound,
                   "the tool '{}' was not contributed: declare it before its implementation", id);
  const auto entry = found->second;
  if (entry->implementation)
    return fail_at(std::string(id), Errc::AlreadyExists,
                   "the tool '{}' already has an implementation", id);
  entry->implementation = tool;
  // No event: what is offered stays the same. The next catalogue can run it.
  ++impl_->version;
  return Registration([weak = std::weak_ptr(impl_), entry, tool = std::move(tool)] {
    const auto impl = weak.lock();
    if (!impl) return;
    const std::scoped_lock undo_lock(impl->mutex);
    if (entry->implementation != tool) return;
    entry->implementation = nullptr;
    ++impl->version;
  });
}

Result<Registration> Registry::add_set(ToolSetData set) {
  if (set.id.empty() || set.reference_name.empty())
    return fail(Errc::InvalidRequest, "a tool set needs an id and a reference name");
  auto added = std::make_shared<const ToolSetData>(std::move(set));
  const std::scoped_lock lock(impl_->mutex);
  impl_->sets.push_back(added);
  impl_->changed(Impl::Restart::No);
  return Registration([weak = std::weak_ptr(impl_), added] {
    const auto impl = weak.lock();
    if (!impl) return;
    const std::scoped_lock undo_lock(impl->mutex);
    if (std::erase(impl->sets, added) > 0) impl->changed(Impl::Restart::No);
  });
}

Result<void> Registry::set_context(std::string_view key, std::string_view json) {
  if (json.size() > kMostContextBytes)
    return fail_at(std::string(key), Errc::TooLarge,
                   "the context key '{}' has a value of {} bytes, at most {} are allowed", key,
                   json.size(), kMostContextBytes);
  json::value value;
  if (!json.empty()) {
    auto parsed = parse_json(json);
    if (!parsed)
      return fail_at(std::string(key), parsed.error().code, "the context key '{}' is not JSON: {}",
                     key, parsed.error().message);
    value = std::move(*parsed);
  }
  const std::scoped_lock lock(impl_->mutex);
  const json::value* old = impl_->context.find(key);
  if (json.empty() ? old == nullptr : old != nullptr && *old == value) return {};
  if (old == nullptr && impl_->context.values().size() >= kMostContextKeys)
    return fail_at(std::string(key), Errc::TooLarge, "there are {} context keys already",
                   kMostContextKeys);
  if (json.empty())
    impl_->context.remove(key);
  else
    impl_->context.set(key, std::move(value));
  if (impl_->watched.contains(key)) impl_->changed(Impl::Restart::Yes);
  return {};
}

std::string Registry::context_json() const {
  const std::scoped_lock lock(impl_->mutex);
  std::map<std::string_view, const json::value*> shown;
  for (const auto& [key, value] : impl_->context.values())
    if (!key.starts_with("config.") || impl_->watched.contains(key)) shown.emplace(key, &value);
  json::object all;
  for (const auto& [key, value] : shown) all[key] = *value;
  return write_json(all);
}

void Registry::set_settings(CatalogSettings settings) {
  const std::scoped_lock lock(impl_->mutex);
  if (same(impl_->settings, settings)) return;
  impl_->settings = std::move(settings);
  impl_->changed(Impl::Restart::Yes);
}

std::shared_ptr<const Catalog> Registry::catalog() const {
  return impl_->catalog();
}

Registration Registry::on_change(Listener listener) {
  auto added = std::make_shared<const Listener>(std::move(listener));
  const std::scoped_lock lock(impl_->mutex);
  impl_->listeners.push_back(added);
  return Registration([weak = std::weak_ptr(impl_), added] {
    const auto impl = weak.lock();
    if (!impl) return;
    const std::scoped_lock undo_lock(impl->mutex);
    std::erase(impl->listeners, added);
  });
}

void Registry::flush() {
  impl_->fire();
}

Result<std::shared_ptr<Registry::Impl::Entry>> Registry::Impl::insert(ToolData data,
                                                                      std::shared_ptr<Tool> tool) {
  auto record = std::make_shared<const ToolRecord>(std::move(data));
  auto entry = std::make_shared<Entry>(record, std::move(tool));
  const std::scoped_lock lock(mutex);
  const std::string& id = record->data().id;
  if (!by_id.try_emplace(id, entry).second)
    return fail_at(id, Errc::AlreadyExists, "the tool '{}' is already registered", id);
  entries.push_back(entry);
  watch(*record, 1);
  changed(Restart::No);
  return entry;
}

void Registry::Impl::remove(const std::shared_ptr<Entry>& entry) {
  const std::scoped_lock lock(mutex);
  by_id.erase(entry->record->data().id);
  std::erase(entries, entry);
  watch(*entry->record, -1);
  changed(Restart::No);
}

void Registry::Impl::watch(const ToolRecord& record, int count) {
  if (!record.when()) return;
  for (const std::string& key : record.when()->keys())
    if ((watched[key] += count) == 0) watched.erase(key);
}

void Registry::Impl::changed(Restart restart) {
  ++version;
  if (pending && restart == Restart::No) return;
  pending = true;
  if (timer)
    timer->start(kChangeDelay, [weak = weak_from_this()] {
      if (const auto impl = weak.lock()) impl->fire();
    });
}

void Registry::Impl::fire() {
  std::vector<std::shared_ptr<const Listener>> told;
  {
    const std::scoped_lock lock(mutex);
    if (!pending) return;
    pending = false;
    if (timer) timer->stop();
    told = listeners;
  }
  if (told.empty()) return;
  const auto now = catalog();
  for (const auto& listener : told) (*listener)(now);
}

CatalogParts Registry::Impl::copy_parts() {
  CatalogParts parts;
  parts.tools.reserve(entries.size());
  for (const auto& entry : entries) parts.tools.push_back({entry->record, entry->implementation});
  parts.sets = sets;
  parts.settings = settings;
  for (const auto& [key, uses] : watched)
    if (const json::value* value = context.find(key)) parts.context.set(key, *value);
  return parts;
}

std::shared_ptr<const Catalog> Registry::Impl::catalog() {
  {
    const std::scoped_lock lock(mutex);
    if (current && current->version == version) return current;
  }
  const std::scoped_lock build_lock(building);
  CatalogParts parts;
  std::uint64_t made = 0;
  {
    const std::scoped_lock lock(mutex);
    if (current && current->version == version) return current;
    parts = copy_parts();
    made = version;
  }
  auto built = build_catalog(parts, made);
  auto old = built;  // may be the last that holds a catalogue: let it go without the lock
  const std::scoped_lock lock(mutex);
  current.swap(old);
  return built;
}

}  // namespace toolgate
