// Owns how a segment of a session log begins: preamble, header, and in later segments a checkpoint.
#pragma once

#include <cstdint>

#include "common/codec/log_codec.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/session/record_stream.h"

namespace orrery::session {

// Reads the preamble: the version of the format. An Error says why no records follow.
Result<std::uint32_t> read_preamble(RecordStream& stream);

// Reads the header behind it. An Error says why there is none; then the stream has not moved.
Result<codec::LogHeader> read_header_record(RecordStream& stream);

// Reads both.
Result<codec::LogHeader> read_start(RecordStream& stream);

// True if the record at the front is the checkpoint that a later segment begins with.
bool begins_with_checkpoint(RecordStream& stream, Tick tick);

// True if both headers are of segments of one session.
bool of_one_session(const codec::LogHeader& a, const codec::LogHeader& b);

}  // namespace orrery::session
