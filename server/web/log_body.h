// Reads a part of the log for an HTTP response, in a thread that may wait for the disk.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/host/disk/packed_segment.h"

namespace orrery::server::web {

// The bytes of one segment. A packed segment is unpacked. Only one operation runs at a time; it
// calls its function in the event loop, never before it returns, and keeps the body alive.
class LogBody : public std::enable_shared_from_this<LogBody> {
 public:
  // REQUIRES: `context` and `readers` outlive the operations.
  LogBody(boost::asio::io_context& context, boost::asio::thread_pool& readers)
      : context_(context), readers_(readers) {}

  // Opens the file at `path`. Calls `done` with the size of the segment, which is 0 if the file
  // cannot be read.
  void open(const std::string& path, std::function<void(std::uint64_t size)> done);

  // Chooses the bytes that read() returns. REQUIRES: open() found a file.
  void select(std::uint64_t first, std::uint64_t size);
  // Returns the number of bytes that are still to be read.
  std::uint64_t left() const { return left_; }
  // Reads the next bytes, at most limits::kWebChunkBytes. Calls `done` with them, or with no byte
  // if the file is shorter than it was. They are valid until the next call.
  void read(std::function<void(Bytes bytes)> done);

 private:
  boost::asio::io_context& context_;
  boost::asio::thread_pool& readers_;
  std::unique_ptr<host::SegmentSource> source_;
  std::uint64_t first_ = 0;  // offset of the next byte
  std::uint64_t left_ = 0;
  std::vector<std::uint8_t> chunk_;
};

}  // namespace orrery::server::web
