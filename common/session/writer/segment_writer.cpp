// Writes the bytes of one segment of a session log.
#include "common/session/writer/segment_writer.h"

#include "common/core/hash.h"

namespace orrery::session {

void SegmentWriter::start(const codec::LogHeader& header, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(header.segment == 0 || header.scene.empty());  // only segment 0 has the scene
  const std::size_t begin = out.size();
  append_preamble(out);
  tick_ = header.after_tick;
  checksum_ = orrery::checksum(Bytes(out).subspan(begin));
  size_ = out.size() - begin;
  has_index_ = false;
  index_.clear();
  encode_log_header(header, payload_);
  frame(RecordType::header, payload_, {}, out);
  payload_ = {};  // frees the memory of the scene, which may be large
}

void SegmentWriter::append(const LogRecord& record, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(record.type != RecordType::header && record.type != RecordType::index);
  if (record.type == RecordType::checkpoint) add_to_index(index_, {record.tick, size_});
  if (record.type == RecordType::end && !has_index_) append_index(out);
  tick_ = record.tick;
  frame(record.type, record.payload, record.image, out);
}

void SegmentWriter::append_index(std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!has_index_);
  has_index_ = true;
  encode_index(index_, size_, payload_);
  frame(RecordType::index, payload_, {}, out);
}

void SegmentWriter::frame(RecordType type, Bytes payload, Bytes more,
                          std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(more.empty() || type == RecordType::checkpoint);
  const std::size_t begin = out.size();
  checksum_ = append_record(type, payload, more, checksum_, out);
  size_ += out.size() - begin;
}

}  // namespace orrery::session
