// Writes log lines to stderr through a bounded queue and a thread.
#include "server/operator/operator_stream.h"

#include <fmt/chrono.h>
#include <poll.h>
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string_view>

#include "server/operator/log_line.h"

namespace orrery::server {
namespace {

// Capacity of the queue, in lines: enough for the lines of a hundred SIGUSR1 signals, each of which
// logs the counters.
constexpr std::size_t kLinesMax = 1024;

// Returns "2026-11-21T09:30:00.123Z".
std::string timestamp(spdlog::log_clock::time_point time) {
  using std::chrono::floor;
  const auto seconds = floor<std::chrono::seconds>(time);
  const auto part = floor<std::chrono::milliseconds>(time - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(spdlog::log_clock::to_time_t(seconds)), part.count());
}

std::string_view level_name(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return "debug";
    case spdlog::level::info:
      return "info";
    case spdlog::level::warn:
      return "warn";
    default:
      return "error";
  }
}

}  // namespace

// Uses write(2) instead of stdio: a blocked line must not hold the lock of stderr.
class OperatorStream::Sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  // `thread` is the pool that calls this sink.
  Sink(int descriptor, spdlog::details::thread_pool& thread)
      : descriptor_(descriptor), thread_(thread) {}

  bool wait_for_flush(std::uint64_t number, std::chrono::milliseconds limit) {
    std::unique_lock lock(flush_mutex_);
    return flushed_.wait_for(lock, limit, [&] { return flushes_ >= number; });
  }

 private:
  void sink_it_(const spdlog::details::log_msg& line) override {
    log_dropped(line);
    format_and_write(line);
  }

  void flush_() override {
    const std::lock_guard lock(flush_mutex_);
    ++flushes_;
    flushed_.notify_all();
  }

  // Logs the number of lines that were dropped before this one, at any --log-level.
  void log_dropped(const spdlog::details::log_msg& line) {
    const std::uint64_t dropped = thread_.overrun_counter();
    if (dropped == logged_) return;
    const std::string text =
        format_event(LogEvent::stderr_lines_dropped, {{"count", dropped - logged_}});
    logged_ = dropped;
    format_and_write({line.logger_name, spdlog::level::warn, text});
  }

  void format_and_write(const spdlog::details::log_msg& line) {
    const std::string_view payload(line.payload.data(), line.payload.size());
    if (log_format() == LogFormat::json) {
      write(fmt::format("{{\"ts\": \"{}\", \"level\": \"{}\", {}}}\n", timestamp(line.time),
                        level_name(line.level), payload));
    } else if (line.level == spdlog::level::critical) {
      write(fmt::format("{}\n", payload));
    } else {
      write(fmt::format("{} {:5} {}\n", timestamp(line.time), level_name(line.level), payload));
    }
  }

  // Writes all bytes. Ignores errors, as a closed stderr has no reader. Blocks on a full pipe, also
  // if another program set O_NONBLOCK on it; the queue then fills and counts the lines it drops.
  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) {
        pollfd room{descriptor_, POLLOUT, 0};
        ::poll(&room, 1, -1);
        continue;
      }
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  const int descriptor_;
  spdlog::details::thread_pool& thread_;
  std::uint64_t logged_ = 0;  // dropped lines that log_dropped() has reported
  std::mutex flush_mutex_;
  std::condition_variable flushed_;
  std::uint64_t flushes_ = 0;
};

OperatorStream::OperatorStream(int descriptor)
    : thread_(std::make_shared<spdlog::details::thread_pool>(kLinesMax, 1)),
      sink_(std::make_shared<Sink>(descriptor, *thread_)) {
  spdlog::set_default_logger(std::make_shared<spdlog::async_logger>(
      "orreryd", sink_, thread_, spdlog::async_overflow_policy::overrun_oldest));
}

OperatorStream::~OperatorStream() = default;

std::uint64_t OperatorStream::dropped() const { return thread_->overrun_counter(); }

bool OperatorStream::drain(std::chrono::milliseconds limit) {
  spdlog::default_logger_raw()->flush();  // queued after all lines so far
  return sink_->wait_for_flush(++drains_, limit);
}

void last_words(const std::string& message) {
  const bool is_json = log_format() == LogFormat::json;
  spdlog::critical("{}", is_json ? format_event(LogEvent::server_failed, {{"reason", message}})
                                 : "orreryd: " + message);
}

}  // namespace orrery::server
