// Finds the checkpoints of a log: by the indexes of its segments, or by a search in segments
// without an index.
#pragma once

#include <cstdint>
#include <vector>

#include "common/session/log_reader.h"

namespace orrery::session {

// The treatment of index records, which list the checkpoints of a segment. An index is found from
// the end of its segment, even if earlier records are damaged. Its entries are only hints:
// LogReader::go_to() checks each before use.
enum class Indexes : std::uint8_t { believed, ignored };

// Returns the checkpoints of segment 0 and of the segments that continue it, in ascending order of
// their ticks. If a tick has several checkpoints, returns only the first. It treats each segment
// like this:
// - Indexes believed, and nothing but an end record and a seal follows the index: reads the index.
// - Indexes believed, but the segment has none, or was abandoned before its end: skips from record
//   to record by their lengths, without checking checksums. The checkpoints found are hints too.
// - Indexes ignored: reads all records up to the first broken one, and checks their checksums.
std::vector<CheckpointLocation> find_checkpoints(const OpenSegment& open_segment, Indexes indexes);

}  // namespace orrery::session
