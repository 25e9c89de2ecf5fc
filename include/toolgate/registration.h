// The undo of something that was registered: whoever registers holds it, and what was registered
// goes when it goes.
#pragma once

#include <functional>
#include <utility>

namespace toolgate {

class [[nodiscard]] Registration {
 public:
  Registration() = default;
  explicit Registration(std::move_only_function<void()> undo) : undo_(std::move(undo)) {}
  Registration(Registration&& other) noexcept : undo_(std::exchange(other.undo_, nullptr)) {}
  Registration& operator=(Registration&& other) noexcept {
    if (this != &other) {
      undo();
      undo_ = std::exchange(other.undo_, nullptr);
    }
    return *this;
  }
  ~Registration() { undo(); }

  // At once instead of at the end; a second time does nothing.
  void undo() {
    if (auto undo = std::exchange(undo_, nullptr)) undo();
  }

 private:
  std::move_only_function<void()> undo_;
};

}  // namespace toolgate
