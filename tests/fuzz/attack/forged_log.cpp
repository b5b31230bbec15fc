// Splits session logs into records and joins changed records with correct checksums.
#include "tests/fuzz/attack/forged_log.h"

#include <algorithm>

#include "common/codec/log_codec.h"
#include "common/core/hash.h"
#include "common/session/log_records.h"

namespace orrery::attack {
namespace {

bool is(const ForgedRecord& record, session::RecordType type) {
  return record.type == static_cast<std::uint8_t>(type);
}

std::uint64_t read_u64(Bytes bytes) { return ByteReader(bytes).u64(); }

// Returns the checksum of the previous segment from a segment's header.
std::optional<std::uint64_t> checksum_before(const ForgedSegment& segment) {
  if (segment.records.empty()) return {};
  const Result<codec::LogHeader> header = codec::decode_log_header(segment.records[0].payload);
  if (!header || header.value().segment == 0) return {};
  return header.value().after_checksum;
}

// Returns the header payload with another checksum of the previous segment.
std::vector<std::uint8_t> going_on(const std::vector<std::uint8_t>& payload, std::uint64_t after) {
  Result<codec::LogHeader> header = codec::decode_log_header(payload);
  if (!header || header.value().segment == 0) return payload;
  header.value().after_checksum = after;
  std::vector<std::uint8_t> out;
  codec::encode_log_header(header.value(), out);
  return out;
}

// A writer of one segment.
class Writer {
 public:
  explicit Writer(std::uint32_t version) {
    ByteWriter out(bytes_);
    out.bytes(session::kLogMagic);
    out.u32(version);
    chain_ = checksum(bytes_);
  }

  void add(const ForgedRecord& record) {
    std::vector<std::uint8_t> index;
    const bool indexed = is(record, session::RecordType::index) && !record.as_is;
    if (indexed) session::encode_index(places_, bytes_.size(), index);
    const Bytes payload = indexed ? Bytes(index) : Bytes(record.payload);
    const std::size_t begin = bytes_.size();
    if (is(record, session::RecordType::checkpoint)) note_checkpoint(payload);
    ByteWriter out(bytes_);
    out.u8(record.type);
    out.varint(record.size.value_or(payload.size()));
    out.bytes(payload);
    chain_ = checksum(Bytes(bytes_).subspan(begin), chain_);
    out.u64(chain_);
    chains_.push_back(chain_);
  }

  // Returns the chained checksums of all records so far.
  const std::vector<std::uint64_t>& chains() const { return chains_; }

  std::vector<std::uint8_t> finish(Bytes rest) {
    bytes_.insert(bytes_.end(), rest.begin(), rest.end());
    return std::move(bytes_);
  }

 private:
  void note_checkpoint(Bytes payload) {
    const std::optional<session::Checkpoint> checkpoint = session::decode_checkpoint(payload);
    if (checkpoint) session::add_to_index(places_, {checkpoint->tick, bytes_.size()});
  }

  std::vector<std::uint8_t> bytes_;
  std::uint64_t chain_ = 0;
  std::vector<std::uint64_t> chains_;
  std::vector<session::CheckpointEntry> places_;
};

}  // namespace

ForgedLog take_apart(const LogFiles& files) {
  ForgedLog log;
  std::vector<std::uint64_t> before;  // checksums of the previous segment's records
  for (const std::vector<std::uint8_t>& file : files) {
    ForgedSegment& segment = log.emplace_back();
    std::vector<std::uint64_t> checksums;
    ByteReader preamble(Bytes(file).subspan(session::kLogMagic.size()));
    segment.version = preamble.u32();
    Bytes rest = Bytes(file).subspan(session::kPreambleBytes);
    for (;;) {
      const std::optional<session::RecordFrame> frame = session::read_frame(rest);
      if (!frame || frame->size() > rest.size()) break;
      const Bytes payload = rest.subspan(frame->payload_offset, frame->payload_size);
      const auto type = static_cast<std::uint8_t>(frame->type);
      segment.records.push_back({type, {payload.begin(), payload.end()}, false, {}});
      checksums.push_back(read_u64(rest.subspan(frame->size() - session::kChecksumBytes)));
      rest = rest.subspan(frame->size());
    }
    segment.rest.assign(rest.begin(), rest.end());
    if (const auto wanted = checksum_before(segment)) {
      const auto at = std::find(before.begin(), before.end(), *wanted);
      if (at != before.end()) segment.goes_on_at = static_cast<std::size_t>(at - before.begin());
    }
    before = std::move(checksums);
  }
  return log;
}

LogFiles put_together(const ForgedLog& log) {
  LogFiles files;
  std::vector<std::uint64_t> before;
  for (const ForgedSegment& segment : log) {
    Writer writer(segment.version);
    for (std::size_t i = 0; i < segment.records.size(); ++i) {
      ForgedRecord record = segment.records[i];
      const bool joins = i == 0 && !record.as_is && segment.goes_on_at && !before.empty();
      if (joins) {
        const std::size_t at = std::min(*segment.goes_on_at, before.size() - 1);
        record.payload = going_on(record.payload, before[at]);
      }
      writer.add(record);
    }
    before = writer.chains();
    files.push_back(writer.finish(segment.rest));
  }
  return files;
}

}  // namespace orrery::attack
