// Owns the files of a log as its readers find them.
#pragma once

#include <cstdint>
#include <string>

#include "common/core/executor.h"
#include "common/session/log_reader.h"
#include "common/session/recovery.h"

namespace orrery {

// The file of a segment: PATH, PATH.0001, PATH.0002, ...
std::string segment_path(const std::string& path, std::uint32_t segment);

// Opens the segments of the log at `path`, packed or not. It outlives them.
OpenSegment segments_of(const std::string& path);

// What a session can go on from whose log is at `path` (session/recovery.h). An Error, which starts
// with the path, also if a program still writes it.
Result<Recovered> recover_log(const std::string& path, Executor& executor);

}  // namespace orrery
