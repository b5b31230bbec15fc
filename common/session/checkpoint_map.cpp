// Finds the checkpoints of a log: by its indexes, or by a search where there are none.
#include "common/session/checkpoint_map.h"

#include <algorithm>
#include <optional>

#include "common/session/segment_start.h"

namespace orrery::session {
namespace {

static_assert(kEndRecordBytes == record_size(kEndPayloadBytes));
static_assert(kSealRecordBytes == record_size(std::tuple_size_v<LogSeal>));

// Returns the u64 that starts `back` bytes before the end of a segment.
std::optional<std::uint64_t> number_before_end(ByteSource& segment, std::uint64_t back) {
  std::array<std::uint8_t, 8> bytes{};
  ORRERY_ASSERT(back >= bytes.size());
  if (segment.size() < back || !segment.seek(segment.size() - back)) return {};
  if (segment.read(bytes) != bytes.size()) return {};
  return ByteReader(bytes).u64();
}

// Reads the index of a segment, if there is one. The index is followed by nothing, by an end
// record, or by an end record and a seal, so there are three places to look. The last number in the
// payload of an index is its own offset in the segment.
std::optional<std::vector<CheckpointEntry>> read_index(ByteSource& segment) {
  for (const std::size_t behind :
       {std::size_t{0}, kEndRecordBytes, kEndRecordBytes + kSealRecordBytes}) {
    const auto offset = number_before_end(segment, behind + kChecksumBytes + 8);
    if (!offset || *offset >= segment.size()) continue;
    RecordStream stream(segment);
    if (!stream.seek(*offset)) continue;
    const std::optional<RecordFrame> frame = stream.front();
    std::vector<CheckpointEntry> places;
    if (frame && frame->type == RecordType::index && decode_index(stream.payload(*frame), places)) {
      return places;
    }
  }
  return {};
}

struct Search {
  std::vector<CheckpointEntry> places;
  // True if `places` has all checkpoints up to the next segment. Unused in the last segment.
  bool complete = false;
};

// Collects the checkpoints of a segment up to the record with the checksum `until`, or to the end.
// With `checked` it verifies every record and stops at the first broken one. Otherwise it skips
// from record to record by their lengths.
Search search(ByteSource& segment, std::optional<std::uint64_t> until, bool checked) {
  Search found;
  RecordStream stream(segment);
  stream.take_preamble(kPreambleBytes);
  while (const auto frame = checked ? stream.front() : stream.frame()) {
    if (frame->type == RecordType::checkpoint) {
      const std::optional<Checkpoint> checkpoint = decode_checkpoint(stream.payload_start(*frame));
      if (!checkpoint) return found;
      found.places.push_back({checkpoint->tick, stream.offset()});
    }
    if (frame->type == RecordType::removed) {
      const auto removed = decode_removed(stream.payload_start(*frame));
      found.complete = removed && removed->checksum == until;
      return found;
    }
    if (!stream.pass(*frame)) return found;
    found.complete = until == stream.chain();
    if (found.complete) return found;
  }
  return found;
}

std::optional<codec::LogHeader> header_of(const OpenSegment& open_segment, std::uint32_t number) {
  const Result<std::unique_ptr<ByteSource>> segment = open_segment(number);
  if (!segment || !segment.value()) return {};
  RecordStream stream(*segment.value());
  Result<codec::LogHeader> header = read_start(stream);
  if (!header || header.value().segment != number) return {};
  return std::move(header.value());
}

// Returns the checkpoints of a segment, up to the record that the next segment continues from.
// `until` is the checksum of that record, or nothing if this is the last segment.
Search places_in(ByteSource& segment, std::optional<std::uint64_t> until, Indexes indexes) {
  if (indexes == Indexes::believed &&
      (!until || until == number_before_end(segment, kChecksumBytes))) {
    if (auto places = read_index(segment)) return {std::move(*places), true};
  }
  return segment.seek(0) ? search(segment, until, indexes == Indexes::ignored) : Search{};
}

}  // namespace

std::vector<CheckpointLocation> find_checkpoints(const OpenSegment& open_segment, Indexes indexes) {
  ORRERY_ASSERT(open_segment);
  std::vector<CheckpointLocation> found;
  std::optional<codec::LogHeader> header = header_of(open_segment, 0);
  while (header) {
    const std::uint32_t number = header->segment;
    const Result<std::unique_ptr<ByteSource>> segment = open_segment(number);
    if (!segment || !segment.value()) break;
    std::optional<codec::LogHeader> next = header_of(open_segment, number + 1);
    if (next && !(of_one_session(*header, *next) && header->rules == next->rules)) next.reset();
    const auto until = next ? std::optional(next->after_checksum) : std::nullopt;
    const Search in_segment = places_in(*segment.value(), until, indexes);
    for (const CheckpointEntry& place : in_segment.places) {
      if (found.empty() || place.tick > found.back().place.tick) found.push_back({number, place});
    }
    if (!in_segment.complete) break;
    header = std::move(next);
  }
  return found;
}

}  // namespace orrery::session
