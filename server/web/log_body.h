// Reads a part of the log for an HTTP response, in a thread that may wait for the disk.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/core/limits.h"
#include "common/host/disk/packing/packed_segment.h"
#include "common/net/environment.h"

namespace orrery::server::web {

// The thread that reads logs for HTTP, and the limit on logs that are read at the same time.
class LogReaders {
 public:
  // Returns a place for one reader, or nothing if all are taken. The place becomes free when the
  // result and all its copies are destroyed.
  std::shared_ptr<void> take_place() {
    return place_.use_count() > limits::kWebLogReadersMax ? nullptr : place_;
  }
  boost::asio::thread_pool& threads() { return threads_; }

 private:
  boost::asio::thread_pool threads_{1};
  std::shared_ptr<void> place_ = std::make_shared<char>();
};

// The bytes of one segment, unpacked if the segment is packed. Only one operation runs at a time.
// An operation returns before it calls its function, which runs in the event loop. It keeps the
// body alive.
class LogBody : public std::enable_shared_from_this<LogBody> {
 public:
  // `place` is a place for one reader. REQUIRES: `context` and `readers` outlive the operations.
  LogBody(boost::asio::io_context& context, boost::asio::thread_pool& readers,
          std::shared_ptr<void> place)
      : context_(context), readers_(readers), place_(std::move(place)) {}

  // Opens the file at `path`. Calls `done` with the size of the segment, which is 0 if the file
  // cannot be read.
  void open(const std::string& path, std::function<void(std::uint64_t size)> done);

  // Returns the CPU time that the other thread has used since the last call.
  net::Nanoseconds take_work() { return std::exchange(work_, 0); }

  // Chooses the bytes that read() returns. REQUIRES: open() found a file.
  void select(std::uint64_t first, std::uint64_t size);
  // Returns the number of bytes that are still to be read.
  std::uint64_t left() const { return left_; }
  // Reads the next bytes, at most limits::kWebChunkBytes. Calls `done` with them, or with no byte
  // if the file is shorter than it was. They are valid until the next call.
  void read(std::function<void(Bytes bytes)> done);
  // Ends the body. An operation that has not begun to read then returns nothing.
  void cancel() { cancelled_ = true; }

 private:
  boost::asio::io_context& context_;
  boost::asio::thread_pool& readers_;
  const std::shared_ptr<void> place_;
  std::atomic<bool> cancelled_ = false;
  std::unique_ptr<host::SegmentSource> source_;
  std::uint64_t first_ = 0;  // offset of the next byte
  std::uint64_t left_ = 0;
  std::vector<std::uint8_t> chunk_;
  net::Nanoseconds work_ = 0;  // CPU time of the other thread
};

}  // namespace orrery::server::web
