// Captures the log lines of a test.
#pragma once

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

namespace orrery::test {

// A logger that captures lines while it exists, without time and level.
class CapturedLines {
 public:
  CapturedLines() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("lines", std::move(sink)));
    spdlog::set_pattern("%v");
  }
  ~CapturedLines() { spdlog::set_default_logger(before_); }
  CapturedLines(const CapturedLines&) = delete;
  CapturedLines& operator=(const CapturedLines&) = delete;

  std::string take() {
    std::string text = text_.str();
    text_.str({});
    return text;
  }

 private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

}  // namespace orrery::test
