// Owns where a log has its checkpoints: by its indexes, or by a search where there are none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/session/log_reader.h"

namespace orrery::session {

// An index is found from the end of its segment, whatever is damaged before. It is a hint:
// LogReader::go_to() looks whether what it says is so.
enum class Indexes : std::uint8_t { believed, ignored };

// Finds the checkpoints of all segments that go on from each other, 0 included, in the order of
// their ticks. Segments whose indexes are ignored are read as far as they are whole. Those that
// have none are gone through by the lengths of their records, unread: what that leads to is a hint
// too.
std::vector<CheckpointLocation> find_checkpoints(const OpenSegment& open_segment, Indexes indexes);

}  // namespace orrery::session
