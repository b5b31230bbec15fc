// Passes the records of a session from the code that steps it to the log. The log adds their frames
// (log_format.h) later.
#include "common/session/writer/record_sink.h"

#include <limits>

namespace orrery::session {

static_assert(kCheckpointPayloadMax <= std::numeric_limits<std::uint32_t>::max());

bool RecordBatch::begin(const codec::LogHeader& header, const LogRecord* checkpoint) {
  ORRERY_ASSERT(empty() && (checkpoint != nullptr) == (header.segment > 0));
  header_ = header;
  if (checkpoint) append(*checkpoint);
  bytes_ += header.scene.size();
  has_header_ = true;  // last: if memory runs out before, the queue still has no header
  return true;
}

bool RecordBatch::append(const LogRecord& record) {
  const std::size_t size = record.payload.size() + record.image.size();
  ORRERY_ASSERT(size <= payload_max(record.type));
  payloads_.insert(payloads_.end(), record.payload.begin(), record.payload.end());
  payloads_.insert(payloads_.end(), record.image.begin(), record.image.end());
  entries_.push_back({record.tick.value, static_cast<std::uint32_t>(size), record.type});
  bytes_ += record.size();
  return true;
}

void RecordBatch::clear() {
  has_header_ = false;
  header_ = {};
  entries_.clear();
  payloads_.clear();
  bytes_ = 0;
}

}  // namespace orrery::session
