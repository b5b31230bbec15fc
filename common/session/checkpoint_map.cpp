// Owns how indexes are found from the end of a segment, and how one is made of records.
#include "common/session/checkpoint_map.h"

#include <algorithm>
#include <optional>

namespace orrery {
namespace {

// The number in front of the checksum of the record that ends `behind` bytes before the end of the
// segment: where it begins, if it is an index.
std::optional<std::uint64_t> index_offset(ByteSource& segment, std::size_t behind) {
  const std::uint64_t back = behind + kChecksumBytes + 8;
  std::array<std::uint8_t, 8> bytes{};
  if (segment.size() < back || !segment.seek(segment.size() - back)) return {};
  if (segment.read(bytes) != bytes.size()) return {};
  return ByteReader(bytes).u64();
}

// The index is the last record, but for the end record and a seal.
std::optional<std::vector<CheckpointPlace>> read_index(ByteSource& segment) {
  for (const std::size_t behind :
       {std::size_t{0}, kEndRecordBytes, kEndRecordBytes + kSealRecordBytes}) {
    const std::optional<std::uint64_t> offset = index_offset(segment, behind);
    if (!offset || *offset >= segment.size()) continue;
    RecordStream stream(segment);
    if (!stream.seek(*offset)) continue;
    const std::optional<RecordFrame> frame = stream.front();
    std::vector<CheckpointPlace> places;
    if (frame && frame->type == RecordType::index && decode_index(stream.payload(*frame), places)) {
      return places;
    }
  }
  return {};
}

// Reads the records of a segment one by one, as far as they are whole.
std::vector<CheckpointPlace> search(ByteSource& segment) {
  std::vector<CheckpointPlace> places;
  RecordStream stream(segment);
  stream.take_preamble(kPreambleBytes);
  while (const std::optional<RecordFrame> frame = stream.front()) {
    if (frame->type == RecordType::checkpoint) {
      const std::optional<Checkpoint> checkpoint = decode_checkpoint(stream.payload(*frame));
      if (!checkpoint) break;
      places.push_back({checkpoint->tick, stream.offset()});
    }
    stream.accept(*frame);
  }
  return places;
}

// The tick that a later segment goes on from.
std::optional<Tick> tick_before(ByteSource& segment) {
  RecordStream stream(segment);
  stream.take_preamble(kPreambleBytes);
  const std::optional<RecordFrame> frame = stream.front();
  if (!frame || frame->type != RecordType::header) return {};
  const Result<LogHeader> header = decode_log_header(stream.payload(*frame));
  if (!header) return {};
  return header.value().after_tick;
}

}  // namespace

std::vector<CheckpointAt> find_checkpoints(const OpenSegment& open_segment) {
  std::vector<CheckpointAt> found;
  for (std::uint32_t number = 0;; ++number) {
    const Result<std::unique_ptr<ByteSource>> opened = open_segment(number);
    if (!opened || !opened.value()) return found;
    ByteSource& segment = *opened.value();
    const std::optional<Tick> before = number == 0 ? Tick{} : tick_before(segment);
    if (!before) continue;  // only begun
    // What the segment before has from there on is there once more, or was given up.
    while (!found.empty() && found.back().place.tick > *before) found.pop_back();
    std::optional<std::vector<CheckpointPlace>> places = read_index(segment);
    if (!places && segment.seek(0)) places = search(segment);
    for (const CheckpointPlace& place : places.value_or(std::vector<CheckpointPlace>{})) {
      if (found.empty() || place.tick > found.back().place.tick) found.push_back({number, place});
    }
  }
}

}  // namespace orrery
