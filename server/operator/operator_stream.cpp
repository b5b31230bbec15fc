// Owns the queue of spdlog and the writing of its lines.
#include "server/operator/operator_stream.h"

#include <poll.h>
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string_view>

namespace orrery::server {
namespace {

// Lines that may wait: the counters of a hundred SIGUSR1, some 400 KB.
constexpr std::size_t kLinesMax = 1024;

}  // namespace

// Writes with write(2) and not with stdio: a line that is stuck must hold no lock of stderr.
class OperatorStream::Sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  // `thread` is the one that writes.
  Sink(int descriptor, spdlog::details::thread_pool& thread)
      : descriptor_(descriptor), thread_(thread) {}

  bool wait_for_flush(std::uint64_t number, std::chrono::milliseconds limit) {
    std::unique_lock lock(flush_mutex_);
    return flushed_.wait_for(lock, limit, [&] { return flushes_ >= number; });
  }

 private:
  void sink_it_(const spdlog::details::log_msg& line) override {
    mention_dropped(line);
    if (line.level != spdlog::level::critical) return format_and_write(line);
    write("orreryd: " + std::string(line.payload.data(), line.payload.size()) + '\n');
  }

  void flush_() override {
    const std::lock_guard lock(flush_mutex_);
    ++flushes_;
    flushed_.notify_all();
  }

  // The dropped lines came before this one.
  void mention_dropped(const spdlog::details::log_msg& line) {
    const std::uint64_t dropped = thread_.overrun_counter();
    if (dropped == mentioned_) return;
    const std::string text = "journal dropped lines=" + std::to_string(dropped - mentioned_);
    mentioned_ = dropped;
    format_and_write({line.logger_name, spdlog::level::warn, text});
  }

  void format_and_write(const spdlog::details::log_msg& line) {
    spdlog::memory_buf_t text;
    formatter_->format(line, text);
    write({text.data(), text.size()});
  }

  // Lines that the system refuses are lost: nobody reads them. A full pipe holds this thread, also
  // if another program has set O_NONBLOCK on it: then the queue fills, and what it drops is
  // counted.
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
  std::uint64_t mentioned_ = 0;  // lines dropped
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
  spdlog::default_logger_raw()->flush();  // behind all lines
  return sink_->wait_for_flush(++drains_, limit);
}

void last_words(const std::string& message) { spdlog::critical("{}", message); }

}  // namespace orrery::server
