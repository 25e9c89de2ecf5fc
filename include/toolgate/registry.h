// The registry: tools and tool sets come and go here, from any thread, and each change makes a new
// Catalog. A program that embeds the library has one; whoever adds something keeps the
// Registration, and what was added stays as long. A Registration may outlive its Registry.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "toolgate/catalog.h"
#include "toolgate/registration.h"

namespace toolgate {

// Tells the registry when to tell its listeners; an event loop or a test gives one. Without one,
// changes are told only by flush(); catalog() is up to date in any case.
class ChangeTimer {
 public:
  virtual ~ChangeTimer() = default;
  // Calls `fire` once after `delay`, never from within start(); a start before that replaces the
  // old one.
  virtual void start(std::chrono::milliseconds delay, std::function<void()> fire) = 0;
  virtual void stop() = 0;
};

// What decides which registered tools are enabled, with the names these settings have in files.
// An entry of a list is a tool's id, reference name or full reference name, one of these with '*'
// and '?', a set's reference name (its members), a kind of source ("source:mcp") or a
// source's key ("mcp:*"). Deny wins; an allow list that is not empty denies what it does not name.
struct CatalogSettings {
  bool agent_enabled = true;            // chat.agent.enabled
  bool extension_tools_enabled = true;  // chat.extensionTools.enabled
  std::vector<std::string> allow;       // toolgate.tools.allow; empty: all
  std::vector<std::string> deny;        // toolgate.tools.deny
};

class Registry {
 public:
  static constexpr std::chrono::milliseconds kChangeDelay{750};

  explicit Registry(std::unique_ptr<ChangeTimer> timer = nullptr);
  ~Registry();

  // Fails when the id is taken or the data cannot be used. Undoing it takes the implementation
  // away as well.
  Result<Registration> add_data(ToolData data);
  // Fails when no such tool was declared, or when it has an implementation already.
  Result<Registration> add_implementation(std::string_view id, std::shared_ptr<Tool> tool);
  // Both at once.
  Result<Registration> add(ToolData data, std::shared_ptr<Tool> tool);
  Result<Registration> add_set(ToolSetData set);

  // Context keys that `when` clauses read, as JSON texts. An empty text removes the key.
  Result<void> set_context(std::string_view key, std::string_view json);
  // As one object. Settings, `config.*`, may hold secrets: only those that a clause reads are in
  // it.
  std::string context_json() const;
  void set_settings(CatalogSettings settings);

  // As everything stands now; never null.
  std::shared_ptr<const Catalog> catalog() const;

  // Told 750 ms after the first of a burst of registrations, or after the last change of a context
  // key or setting that decides about a tool. The listener runs without a lock, on the thread of
  // the timer or of flush().
  using Listener = std::function<void(const std::shared_ptr<const Catalog>&)>;
  Registration on_change(Listener listener);
  // Tells a change that waits at once.
  void flush();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace toolgate
