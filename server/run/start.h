// Finds the state that a session starts from, and opens the files and the socket of its options.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/host/disk/log_file.h"
#include "common/host/disk/log_lock.h"
#include "common/host/disk/log_seal.h"
#include "common/host/net/udp.h"
#include "common/world/world.h"
#include "server/options.h"

namespace orrery::server {

// The state that a session starts from.
struct Start {
  World world;
  codec::LogHeader header;  // header of the first segment that is written
  std::string log;          // path of the log; empty: made of the start time and the scene
  std::unique_ptr<host::LogLock> lock =
      {};                                  // lock of the log that is continued; null for a new one
  std::uint32_t last_segment = 0;          // last segment of the log that is continued
  std::vector<std::uint64_t> banned = {};  // accounts that its session banned
};

// Returns the initial state of the scene, or the newest state of the session that --resume or
// --session continues. The executor computes the ticks after its last checkpoint.
Result<Start> start_session(const Options& options, Executor& executor);

// Opens the log that the session writes. REQUIRES: called once.
Result<std::unique_ptr<host::LogFile>> open_log(const Options& options, Start& start);

// Opens the socket of --listen.
Result<std::unique_ptr<host::UdpNetwork>> listen(const Options& options);

// Returns the sealer of --seal-key, or nothing without it. Returns an Error if the key cannot be
// read, or if the log is continued and its seals are not correct.
Result<std::optional<host::LogSealer>> open_sealer(const Options& options, const Start& start);

// Checks that the file of --status can be written and is not the log.
Status check_status(const Options& options, const std::string& log);

}  // namespace orrery::server
