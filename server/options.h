// Owns the options of orreryd: on the command line, and in a configuration file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/core/result.h"
#include "common/net/timing.h"

namespace orrery::server {

struct Options {
  std::string scene;  // empty: the playground
  std::string listen = "127.0.0.1:4770";
  std::string log;                  // empty: named after start time and scene
  std::string seal_key;             // a file (host/net/key_file.h); empty: the log is not sealed
  std::string resume;               // a log to go on with, instead of a new session
  std::string session;              // the same, or a new one (server/session_file.h)
  std::uint32_t rate = 0;           // 0: the scene's
  std::uint32_t snapshot_rate = 0;  // 0: that of ticks
  std::uint32_t client_kbit = 0;    // 0: as much as its path bears
  std::uint64_t ticks = 0;          // 0: until a signal
  std::uint32_t threads = 1;
  bool shadow = false;         // replay the session while it runs, and say if that differs
  std::string status;          // a file that holds the counters; empty: none
  std::string key_file;        // empty: a key for this run, and clients of this machine alone
  std::string public_address;  // empty: where it listens
  std::optional<std::uint64_t> protocol_id;  // none: that of the key file
  std::uint64_t token_life = net::kTokenLifeSeconds;
};

// What the command line comes to: options, or text for stdout (help, version) that ends the
// program.
struct CommandLine {
  Options options;
  std::optional<std::string> text;
};

// An Error is one line that names the option, or the file, the line and the key.
Result<CommandLine> parse_command_line(int argc, char** argv);

}  // namespace orrery::server
