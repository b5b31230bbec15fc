// Reads a part of the log for an HTTP response, in a thread that may wait for the disk.
#include "server/web/log_body.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/core/limits.h"
#include "common/host/process/clock.h"

namespace orrery::server::web {

namespace asio = boost::asio;

void LogBody::open(const std::string& path, std::function<void(std::uint64_t size)> done) {
  asio::post(readers_, [self = shared_from_this(), path, done = std::move(done)]() mutable {
    const net::Nanoseconds start = host::thread_cpu_now();
    if (!self->cancelled_) {
      auto opened = host::SegmentSource::open(path);
      if (opened) self->source_ = std::move(opened.value());
    }
    const std::uint64_t size = self->source_ ? self->source_->size() : 0;
    self->work_ += host::thread_cpu_now() - start;
    // `done` keeps the connection alive. Moving it makes the thread of the loop destroy the
    // connection, not this thread.
    asio::post(self->context_, [self, size, done = std::move(done)] { done(size); });
  });
}

void LogBody::select(std::uint64_t first, std::uint64_t size) {
  ORRERY_ASSERT(source_);
  first_ = first;
  left_ = size;
}

void LogBody::read(std::function<void(Bytes bytes)> done) {
  asio::post(readers_, [self = shared_from_this(), done = std::move(done)]() mutable {
    const net::Nanoseconds start = host::thread_cpu_now();
    const std::size_t size = std::min<std::uint64_t>(self->left_, limits::kWebChunkBytes);
    self->chunk_.resize(size);
    const bool whole = !self->cancelled_ && self->source_->seek(self->first_) &&
                       self->source_->read(self->chunk_) == size;
    if (!whole) self->chunk_.clear();
    self->first_ += size;
    self->left_ -= size;
    self->work_ += host::thread_cpu_now() - start;
    asio::post(self->context_, [self, done = std::move(done)] { done(self->chunk_); });
  });
}

}  // namespace orrery::server::web
