// Reads the start of a segment: preamble, header, and the first checkpoint of a later segment.
#pragma once

#include <cstdint>

#include "common/codec/log_codec.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/session/record_stream.h"

namespace orrery::session {

// Reads the preamble, and returns the version of the format. Returns an Error with the reason if
// the source is no session log, is cut, or has an unknown format.
Result<std::uint32_t> read_preamble(RecordStream& stream);

// Reads the header after the preamble. If there is no valid header, returns an Error with the
// reason, and does not move the stream.
Result<codec::LogHeader> read_header_record(RecordStream& stream);

// Reads the preamble and the header.
Result<codec::LogHeader> read_start(RecordStream& stream);

// Returns true if the next record is a checkpoint of this tick. Does not move past the record. A
// later segment begins with one, except after a disk failure that lost no ticks.
bool begins_with_checkpoint(RecordStream& stream, Tick tick);

// Returns true if the next record is a removal. Does not move past it.
bool begins_with_removal(RecordStream& stream);

// Returns true if both headers belong to segments of one session.
bool of_one_session(const codec::LogHeader& a, const codec::LogHeader& b);

}  // namespace orrery::session
