// Collects what is logged while it lives.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/log.h"

namespace toolgate {

class CapturedLog {
 public:
  CapturedLog() {
    open_log(LogLevel::Info, false);
    flush_log();
    testing::internal::CaptureStderr();
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;
  ~CapturedLog() {
    if (!taken_) take();
  }

  // What was logged; collecting ends with it.
  std::string take() {
    flush_log();
    taken_ = true;
    open_log(LogLevel::Off, false);
    return testing::internal::GetCapturedStderr();
  }

 private:
  bool taken_ = false;
};

}  // namespace toolgate
