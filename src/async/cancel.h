// Cancellation: the last parameter of everything that waits. A CancelSource belongs to whoever may
// cancel; children derive from parents and are cancelled with them. All on one loop's thread.
#pragma once

#include <functional>
#include <memory>

namespace toolgate {

enum class CancelReason { None, ClientGone, Timeout, User, Shutdown, Denied };

class CancelHook;

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

class CancelSource final : public Cancel {
 public:
  CancelSource() = default;
  explicit CancelSource(const Cancel& parent);
  ~CancelSource();

  // The first reason stays; later ones are ignored.
  void request(CancelReason reason);

 private:
  std::unique_ptr<CancelHook> parent_hook_;
  bool* destroyed_ = nullptr;  // set while request() runs: a callback may end us
};

}  // namespace toolgate
