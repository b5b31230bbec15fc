// Writes log lines to stderr through a bounded queue and a thread, so that a blocked stderr never
// delays a tick.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace spdlog::details {
class thread_pool;
}

namespace orrery::server {

// The sink of spdlog's default logger. A full queue drops its oldest lines. A line with the
// number of dropped lines is written before the next line.
class OperatorStream {
 public:
  explicit OperatorStream(int descriptor);
  // Waits for the thread. REQUIRES: drain() returned true, or stderr accepts lines again.
  ~OperatorStream();
  OperatorStream(const OperatorStream&) = delete;
  OperatorStream& operator=(const OperatorStream&) = delete;

  // Returns the number of lines dropped so far.
  std::uint64_t dropped() const;

  // Waits until all queued lines are written, at most for `limit`. Returns false after that time.
  // The request itself takes a place in the queue, so a full queue drops its oldest line.
  bool drain(std::chrono::milliseconds limit);

 private:
  class Sink;

  const std::shared_ptr<spdlog::details::thread_pool> thread_;
  const std::shared_ptr<Sink> sink_;
  std::uint64_t drains_ = 0;
};

// Queues the line that says why the program exits: "orreryd: MESSAGE", or the event `server failed`
// as JSON.
void last_words(const std::string& message);

}  // namespace orrery::server
