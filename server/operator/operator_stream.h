// Owns how lines reach stderr: through a bounded queue and a thread, so that no reader holds a
// tick.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace spdlog::details {
class thread_pool;
}

namespace orrery::server {

// Takes over spdlog's default logger. A full queue drops its oldest lines; when lines pass again,
// one of them says how many were dropped.
class OperatorStream {
 public:
  explicit OperatorStream(int descriptor);
  // Waits for the thread. REQUIRES: drain() returned true, or lines pass again.
  ~OperatorStream();
  OperatorStream(const OperatorStream&) = delete;
  OperatorStream& operator=(const OperatorStream&) = delete;

  // Returns how many lines were dropped.
  std::uint64_t dropped() const;

  // Waits until all lines so far are written. Returns false if that takes longer than `limit`. In a
  // full queue this takes the place of a line.
  bool drain(std::chrono::milliseconds limit);

 private:
  class Sink;

  const std::shared_ptr<spdlog::details::thread_pool> thread_;
  const std::shared_ptr<Sink> sink_;
  std::uint64_t drains_ = 0;
};

// Queues the line that says why the program fails: "orreryd: MESSAGE".
void last_words(const std::string& message);

}  // namespace orrery::server
