#include "toolgate/cancel.h"

#include <utility>

namespace toolgate {

CancelHook::CancelHook(const Cancel& cancel, std::function<void(CancelReason)> callback)
    : callback_(std::move(callback)) {
  if (cancel.requested()) {
    callback_(cancel.reason());
    return;
  }
  owner_ = &cancel;
  next_ = cancel.hooks_;
  link_ = &cancel.hooks_;
  if (next_) next_->link_ = &next_;
  *link_ = this;
}

CancelHook::~CancelHook() {
  unlink();
}

void CancelHook::unlink() {
  if (!owner_) return;
  *link_ = next_;
  if (next_) next_->link_ = link_;
  owner_ = nullptr;
}

CancelSource::CancelSource(const Cancel& parent)
    : parent_hook_(
          std::make_unique<CancelHook>(parent, [this](CancelReason reason) { request(reason); })) {}

CancelSource::~CancelSource() {
  if (destroyed_) *destroyed_ = true;
  while (hooks_) hooks_->unlink();
}

void CancelSource::request(CancelReason reason) {
  if (requested()) return;
  reason_ = reason;
  bool destroyed = false;
  destroyed_ = &destroyed;
  while (CancelHook* hook = hooks_) {
    hook->unlink();
    auto callback = std::move(hook->callback_);
    callback(reason);
    if (destroyed) return;
  }
  destroyed_ = nullptr;
}

}  // namespace toolgate
