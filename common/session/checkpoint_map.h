// Finds the checkpoints of a log: by its indexes, or by a search where there are none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/session/log_reader.h"

namespace orrery::session {

// The use of indexes. An index is found from the end of its segment, even if records before it are
// damaged. It is a hint: LogReader::go_to() checks every place.
enum class Indexes : std::uint8_t { believed, ignored };

// Returns the checkpoints of segment 0 and all that continue it, in the order of their ticks.
// Reads the valid prefix of a segment if its index is ignored. Scans a segment without an index by
// the lengths of its records, without checksums; the places found are hints too.
std::vector<CheckpointLocation> find_checkpoints(const OpenSegment& open_segment, Indexes indexes);

}  // namespace orrery::session
