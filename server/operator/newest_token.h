// Keeps the creation time of the newest token that the server accepted in a file, for its next run.
//
// A restarted server refuses tokens from before its start, because the run before may have accepted
// them. If the clock is late at the restart, this rule does not suffice: the server would take
// old tokens for new ones. It therefore also refuses tokens that are not newer than the time in
// this file. The file has one line, a decimal number of Unix seconds.
#pragma once

#include <cstdint>
#include <string>

#include "common/core/result.h"

namespace orrery::server {

// Returns the path of the file: next to the log, with the port in the name.
std::string newest_token_path(const std::string& log_path, std::uint16_t port);

// Returns the time in the file, or 0 if there is no file. An Error starts with the path: the file
// cannot be read, or has other contents.
Result<std::uint64_t> read_newest_token(const std::string& path);

// Replaces the file, completely or not at all, and waits for the disk. An Error starts with the
// path.
Status write_newest_token(const std::string& path, std::uint64_t created);

}  // namespace orrery::server
