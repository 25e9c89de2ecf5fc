// Cancellation: the last parameter of everything that waits. A CancelSource belongs to whoever may
// cancel, and what is called gets it as a Cancel, which it can only watch; who never cancels hands
// in a CancelSource of its own. Children derive from parents and are cancelled with them. All on
// one loop's thread.
#pragma once

#include <functional>
#include <memory>

namespace toolgate {

enum class CancelReason {
  None,        // not cancelled
  ClientGone,  // the one who asked has left
  Timeout,     // its time is over
  User,        // a person stopped it
  Shutdown,    // the program ends
  Denied,      // a person refused the call
};

class CancelHook;

// Something that may be cancelled, for the one who must then end: ask requested() now and then, or
// hang up a CancelHook.
class Cancel {
 public:
  Cancel(const Cancel&) = delete;
  Cancel& operator=(const Cancel&) = delete;

  bool requested() const { return reason_ != CancelReason::None; }
  CancelReason reason() const { return reason_; }

 protected:
  Cancel() = default;
  ~Cancel() = default;

  friend class CancelHook;
  CancelReason reason_ = CancelReason::None;
  mutable CancelHook* hooks_ = nullptr;
};

// Calls back once when `cancel` is requested (at once if it already is) until destroyed.
// The callback may destroy this or other hooks, and may not throw.
class CancelHook {
 public:
  CancelHook(const Cancel& cancel, std::function<void(CancelReason)> callback);
  ~CancelHook();
  CancelHook(const CancelHook&) = delete;
  CancelHook& operator=(const CancelHook&) = delete;

 private:
  friend class CancelSource;
  void unlink();

  const Cancel* owner_ = nullptr;
  CancelHook* next_ = nullptr;
  CancelHook** link_ = nullptr;  // what points at us
  std::function<void(CancelReason)> callback_;
};

// Must outlive the tasks it was handed to.
class CancelSource final : public Cancel {
 public:
  CancelSource() = default;
  // Cancelled with `parent`, for the same reason, but not the other way round.
  explicit CancelSource(const Cancel& parent);
  ~CancelSource();

  // The first reason stays; later ones are ignored.
  void request(CancelReason reason);

 private:
  std::unique_ptr<CancelHook> parent_hook_;
  bool* destroyed_ = nullptr;  // set while request() runs: a callback may end us
};

}  // namespace toolgate
