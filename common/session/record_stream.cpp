// Reads records one by one from a byte source, and verifies their chain of checksums.
#include "common/session/record_stream.h"

#include <algorithm>

#include "common/core/hash.h"

namespace orrery::session {
namespace {

// Minimum number of bytes read at a time. It is small, because bytes of a record that is skipped
// are read in vain.
constexpr std::size_t kReadBytes = std::size_t{16} << 10;

// Maximum number of bytes that a search for valid records decodes and hashes in vain. It bounds the
// time that bytes forged to look like records cost. A log that reaches it counts as damaged.
constexpr std::uint64_t kSearchBytesMax = std::uint64_t{64} << 20;

// After a broken record, the reader searches at most this many bytes for a later valid record. A
// crash leaves fewer bytes after the last complete record: at most one incomplete checkpoint and
// the ticks that were being written.
constexpr std::uint64_t kSearchedMax = (std::uint64_t{1} << 31) + kSearchBytesMax;
static_assert(kCheckpointPayloadMax <= std::uint64_t{1} << 31);

// Size of the seed of a record: the checksum of the record before, which directly precedes it. A
// search can start this many bytes after the valid prefix. The broken record there is longer than a
// checksum, so the seed of every later record lies within the searched bytes.
constexpr std::size_t kSeedBytes = kChecksumBytes;

// Size in bytes of the fields that identify a checkpoint: tick, hash, and the start of an image.
constexpr std::size_t kCheckpointStartBytes = 10 + 8 + 8;
static_assert(kSeedBytes + kFrameBytesMax + kCheckpointStartBytes <= kReadBytes);

std::uint64_t read_u64(Bytes bytes) { return ByteReader(bytes).u64(); }

// Returns true for types that can follow another record: all but the header.
bool may_be_behind(RecordType type) {
  return type > RecordType::header && type <= RecordType::tick;
}

bool checksum_fits(Bytes record, std::uint64_t seed) {
  ORRERY_ASSERT(record.size() > kChecksumBytes);
  const Bytes framed = record.first(record.size() - kChecksumBytes);
  return read_u64(record.last(kChecksumBytes)) == checksum(framed, seed);
}

}  // namespace

Bytes RecordStream::take_preamble(std::size_t count) {
  ORRERY_ASSERT(offset_ == 0);
  fill(count);
  const Bytes preamble = window().first(std::min(window().size(), count));
  chain_ = checksum(preamble);
  discard(preamble.size());
  return preamble;
}

std::optional<RecordFrame> RecordStream::frame() {
  fill(kFrameBytesMax + kCheckpointStartBytes);
  return read_frame(window());
}

Bytes RecordStream::payload_start(const RecordFrame& frame) const {
  ORRERY_ASSERT(frame.payload_offset <= window().size());
  const Bytes behind = window().subspan(frame.payload_offset);
  return behind.first(std::min(behind.size(), frame.payload_size));
}

bool RecordStream::pass(const RecordFrame& frame) {
  ORRERY_ASSERT(frame.size() > kChecksumBytes);
  if (window().size() < frame.size() && seek(offset_ + frame.size())) return true;
  if (!fill(frame.size())) return false;
  accept(frame);
  return true;
}

std::optional<RecordFrame> RecordStream::front() {
  fill(kFrameBytesMax);
  const std::optional<RecordFrame> frame = read_frame(window());
  if (!frame || !fill(frame->size())) return {};
  if (!checksum_fits(window().first(frame->size()), chain_)) return {};
  return frame;
}

Bytes RecordStream::payload(const RecordFrame& frame) const {
  ORRERY_ASSERT(frame.size() <= window().size());
  return window().subspan(frame.payload_offset, frame.payload_size);
}

void RecordStream::accept(const RecordFrame& frame) {
  ORRERY_ASSERT(frame.size() <= window().size());
  const Bytes record = window().first(frame.size());
  chain_ = read_u64(record.last(kChecksumBytes));
  last_begin_ = begin_ + frame.payload_offset;
  last_size_ = frame.payload_size;
  discard(frame.size());
}

RecordStream::Rest RecordStream::read_rest() {
  const std::uint64_t begin = offset_;
  Rest rest = search_ahead();
  // After a barrier, nothing more needs to be searched: the remaining bytes need only be counted. A
  // file knows its size. A pipe is read, but only up to a limit, because it may never end.
  const bool counted = rest.barrier && bytes_ahead() > 0;
  while (!counted && offset_ - begin < kSearchedMax && fill(1)) discard(window().size());
  const std::uint64_t unread = bytes_ahead();
  rest.bytes = offset_ - begin + unread;
  // If no barrier was found, bytes remain unread only if a packed source ends before a damaged
  // block. The damaged block counts like a barrier after a broken record.
  if (!rest.barrier && unread > 0) rest.valid_record = rest.barrier = true;
  return rest;
}

bool RecordStream::seek(std::uint64_t offset) {
  if (offset < kSeedBytes || !source_->seek(offset - kSeedBytes)) return false;
  buffer_.clear();
  begin_ = 0;
  source_ended_ = false;
  offset_ = offset - kSeedBytes;
  if (!fill(kSeedBytes)) return false;
  chain_ = read_u64(window());
  discard(kSeedBytes);
  return true;
}

bool RecordStream::fill(std::size_t count) {
  if (window().size() >= count) return true;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  while (!source_ended_ && buffer_.size() < count) {
    const std::size_t have = buffer_.size();
    // Grow with the bytes that were read, not with `count`, which may come from a forged length.
    const std::size_t wanted = std::clamp(have, kReadBytes, std::max(count - have, kReadBytes));
    buffer_.resize(have + wanted);
    const std::size_t got = source_->read(std::span(buffer_).subspan(have));
    ORRERY_ASSERT(got <= wanted);
    buffer_.resize(have + got);
    source_ended_ = got < wanted;
  }
  return buffer_.size() >= count;
}

void RecordStream::discard(std::size_t count) {
  ORRERY_ASSERT(count <= window().size());
  begin_ += count;
  offset_ += count;
}

RecordStream::Rest RecordStream::search_ahead() {
  // If the next record continues the chain, the caller stopped because that record is malformed or
  // out of place, for example after the end record. The log is then damaged.
  if (front()) return {0, true, true, false};
  Rest found;
  const std::uint64_t begin = offset_;
  std::uint64_t budget = kSearchBytesMax;
  while (fill(kSeedBytes + 1)) {
    if (offset_ - begin >= kSearchedMax) return {0, found.valid_record, true, true};
    const std::size_t end = window().size();
    std::size_t at = kSeedBytes;
    while ((at = next_candidate(at, end)) < end) {
      const std::optional<RecordFrame> frame = record_at(at, budget);
      if (budget == 0 || (frame && is_barrier(frame->type))) return {0, true, true, false};
      found.valid_record = found.valid_record || frame;
      at += frame ? frame->size() : 1;
    }
    discard(at - kSeedBytes);
  }
  return found;
}

std::size_t RecordStream::next_candidate(std::size_t at, std::size_t end) const {
  ORRERY_ASSERT(end <= window().size());  // `at` may be beyond `end`, after a long record
  const Bytes bytes = window().first(end);
  while (at < end && !may_be_behind(static_cast<RecordType>(bytes[at]))) ++at;
  return at;
}

std::optional<RecordFrame> RecordStream::record_at(std::size_t at, std::uint64_t& budget) {
  const auto type = static_cast<RecordType>(window()[at]);
  ORRERY_ASSERT(may_be_behind(type) && at >= kSeedBytes);
  fill(at + kFrameBytesMax + kCheckpointStartBytes);
  const std::optional<RecordFrame> frame = read_frame(window().subspan(at));
  if (!frame) return {};
  if (type == RecordType::checkpoint &&
      !decode_checkpoint(window().subspan(at + frame->payload_offset))) {
    return {};
  }
  if (type == RecordType::end && frame->payload_size != kEndPayloadBytes) return {};
  if (type == RecordType::seal && frame->payload_size != std::tuple_size_v<LogSeal>) return {};
  if (!fill(at + frame->size())) return {};
  const Bytes record = window().subspan(at, frame->size());
  const Bytes payload = record.subspan(frame->payload_offset, frame->payload_size);
  std::size_t examined = 0;
  bool sensible = true;
  if (is_tick(type)) sensible = decode_tick(payload, candidate_, type, &examined);
  if (type == RecordType::index) {
    sensible = decode_index(payload, candidate_index_);
    examined = 16 * (candidate_index_.size() + 1);
  }
  if (sensible && checksum_fits(record, read_u64(window().subspan(at - kSeedBytes, kSeedBytes)))) {
    return frame;
  }
  budget -= std::min<std::uint64_t>(budget, examined + (sensible ? record.size() : 0));
  return {};
}

}  // namespace orrery::session
