// Owns how records are read back, and how damage is told from a torn tail.
#include "common/session/log_reader.h"

#include <algorithm>

#include "common/codec/command_codec.h"
#include "common/core/hash.h"
#include "common/session/versions.h"

namespace orrery {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

// What the search for a valid record behind a broken one may decode and hash, in bytes. Only bytes
// that were made to look like records reach it, and they count as damage.
constexpr std::uint64_t kSearchBytesMax = std::uint64_t{64} << 20;

// The seed of a record's checksum is the checksum in front of it. A broken record is longer than
// that, so no seed lies in what was read before it.
constexpr std::size_t kSeedBytes = kChecksumBytes;

std::uint64_t read_u64(Bytes bytes) { return ByteReader(bytes).u64(); }

bool checksum_fits(Bytes record, std::uint64_t seed) {
  ORRERY_ASSERT(record.size() > kChecksumBytes);
  const Bytes framed = record.first(record.size() - kChecksumBytes);
  return read_u64(record.last(kChecksumBytes)) == checksum(framed, seed);
}

// Reads the payload of a tick record as far as it makes sense; true if that is to its end.
bool decode_tick(ByteReader& in, TickRecord& record) {
  record.hash = in.u64();
  record.commands.clear();
  while (in.ok() && !in.at_end()) {
    const std::optional<Command> command = decode_command(in);
    if (!command || record.commands.size() == limits::kCommandsPerTickMax) return false;
    if (!record.commands.empty() && comes_before(*command, record.commands.back())) return false;
    record.commands.push_back(*command);
  }
  return in.ok();
}

Bytes payload_of(const RecordFrame& frame, Bytes bytes) {
  return bytes.subspan(frame.payload_offset, frame.payload_size);
}

Status check_preamble(Bytes bytes) {
  const std::size_t known = std::min(bytes.size(), kLogMagic.size());
  if (bytes.empty()) return Error{"is empty; expected a session log"};
  if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(known),
                  kLogMagic.begin())) {
    return Error{"is not a session log"};
  }
  if (bytes.size() < kPreambleBytes) return Error{"is cut inside its header; nothing to verify"};
  ByteReader in(bytes.subspan(kLogMagic.size()));
  const std::uint32_t version = in.u32();
  if (version == kLogFormatVersion) return ok_status();
  return Error{"is a session log of format " + std::to_string(version) +
               "; this build reads format " + std::to_string(kLogFormatVersion)};
}

}  // namespace

Result<LogHeader> LogReader::read_header() {
  ORRERY_ASSERT(consumed_ == 0 && !ended_);
  ended_ = true;  // until the header is read
  fill(kPreambleBytes);
  const Bytes preamble = window().first(std::min(window().size(), kPreambleBytes));
  if (Status status = check_preamble(preamble); !status) return status.error();
  chain_ = checksum(preamble);
  discard(kPreambleBytes);
  const std::optional<RecordFrame> frame = front_record();
  if (!frame || frame->type != RecordType::header) {
    judge_tail();
    return Error{tail_.damaged ? "is damaged in its header, with valid records behind it"
                               : "is cut or damaged inside its header; nothing to verify"};
  }
  Result<LogHeader> header = decode_log_header(payload_of(*frame, window()));
  if (!header) return header;
  accept(*frame);
  ended_ = false;
  return header;
}

bool LogReader::next(TickRecord& record) {
  if (ended_) return false;
  const std::optional<RecordFrame> frame = front_record();
  if (!frame) {
    judge_tail();
    return false;
  }
  ByteReader payload(payload_of(*frame, window()));
  if (frame->type == RecordType::tick && decode_tick(payload, record)) {
    record.tick.value = ++ticks_;
    accept(*frame);
    return true;
  }
  if (frame->type == RecordType::end && payload.u64() == ticks_ && payload.ok() &&
      payload.at_end()) {
    accept(*frame);
    tail_.closed = true;
    judge_tail();
    return false;
  }
  end_damaged();
  return false;
}

bool LogReader::fill(std::size_t count) {
  if (window().size() >= count) return true;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  while (!source_ended_ && buffer_.size() < count) {
    const std::size_t have = buffer_.size();
    // Grows with what has come, not with what a length promises.
    const std::size_t wanted = std::clamp(have, kReadBytes, std::max(count - have, kReadBytes));
    buffer_.resize(have + wanted);
    const std::size_t got = source_.read(std::span(buffer_).subspan(have));
    ORRERY_ASSERT(got <= wanted);
    buffer_.resize(have + got);
    source_ended_ = got < wanted;
  }
  return buffer_.size() >= count;
}

void LogReader::discard(std::size_t count) {
  ORRERY_ASSERT(count <= window().size());
  begin_ += count;
  consumed_ += count;
}

std::optional<RecordFrame> LogReader::front_record() {
  fill(kFrameBytesMax);
  const std::optional<RecordFrame> frame = read_frame(window());
  if (!frame || !fill(frame->size())) return {};
  if (!checksum_fits(window().first(frame->size()), chain_)) return {};
  return frame;
}

void LogReader::accept(const RecordFrame& frame) {
  const Bytes record = window().first(frame.size());
  chain_ = read_u64(record.last(kChecksumBytes));
  discard(frame.size());
  tail_.complete_bytes = consumed_;
}

void LogReader::judge_tail() {
  ended_ = true;
  const std::uint64_t tail_begin = consumed_;
  tail_.complete_bytes = consumed_;
  tail_.damaged = valid_record_ahead();
  while (fill(1)) discard(window().size());
  tail_.lost_bytes = consumed_ - tail_begin;
}

void LogReader::end_damaged() {
  judge_tail();
  tail_.damaged = true;
}

bool LogReader::valid_record_ahead() {
  // Behind the end record nothing may be, least of all a record that continues the chain.
  if (front_record()) return true;
  std::uint64_t budget = kSearchBytesMax;
  while (fill(kSeedBytes + 1)) {
    const std::size_t last = window().size() - 1;
    for (std::size_t at = kSeedBytes; at <= last; ++at) {
      if (is_record_at(at, budget) || budget == 0) return true;
    }
    discard(last + 1 - kSeedBytes);
  }
  return false;
}

bool LogReader::is_record_at(std::size_t at, std::uint64_t& budget) {
  const std::uint8_t type = window()[at];
  if (type != static_cast<std::uint8_t>(RecordType::tick) &&
      type != static_cast<std::uint8_t>(RecordType::end)) {
    return false;
  }
  fill(at + kFrameBytesMax);
  const std::optional<RecordFrame> frame = read_frame(window().subspan(at));
  if (!frame || !fill(at + frame->size())) return false;
  const Bytes record = window().subspan(at, frame->size());
  ByteReader payload(payload_of(*frame, record));
  if (frame->type == RecordType::end && frame->payload_size != 8) return false;
  const bool sensible = frame->type == RecordType::end || decode_tick(payload, candidate_);
  budget -= std::min<std::uint64_t>(budget, payload.offset() + (sensible ? record.size() : 0));
  return sensible && checksum_fits(record, read_u64(window().subspan(at - kSeedBytes, kSeedBytes)));
}

}  // namespace orrery
