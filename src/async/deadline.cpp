#include "async/deadline.h"

namespace toolgate {

void Deadlines::start() {
  if (ticking_) return;
  ticking_ = true;
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    ticking_ = false;
    if (error) return;
    expire_due();
    if (armed_) start();
  });
}

void Deadlines::expire_due() {
  const auto now = std::chrono::steady_clock::now();
  // Collected first: a callback may arm, disarm or destroy any deadline, also of those that are
  // due.
  Deadline* due = nullptr;
  for (Deadline* deadline = armed_; deadline != nullptr;) {
    Deadline* next = deadline->next_;
    if (deadline->due_ <= now) {
      deadline->disarm();
      deadline->link(due);
    }
    deadline = next;
  }
  while (due) {
    Deadline* deadline = due;
    deadline->disarm();
    if (deadline->due_ > now)
      deadline->link(armed_);  // armed anew by one that was due before it
    else
      deadline->expired_();
  }
}

void Deadline::link(Deadline*& list) {
  next_ = list;
  link_ = &list;
  if (next_) next_->link_ = &next_;
  list = this;
}

void Deadline::arm(std::chrono::milliseconds after) {
  due_ = std::chrono::steady_clock::now() + after;
  if (link_) return;
  link(deadlines_.armed_);
  deadlines_.start();
}

void Deadline::disarm() {
  if (!link_) return;
  *link_ = next_;
  if (next_) next_->link_ = link_;
  link_ = nullptr;
}

}  // namespace toolgate
