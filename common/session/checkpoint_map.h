// Owns where a log has its checkpoints: by its indexes, or by a search where a crash left none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/session/log_reader.h"

namespace orrery {

// Finds the checkpoints of all segments, 0 included, in the order of their ticks. What an index
// says is a hint: LogReader::go_to() looks whether it is so.
std::vector<CheckpointAt> find_checkpoints(const OpenSegment& open_segment);

}  // namespace orrery
