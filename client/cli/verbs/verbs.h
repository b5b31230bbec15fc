// Declares the verbs of `orrery` and their options. Each verb has its own file. Its function
// returns the exit code: 0 success, 1 a check failed, 2 wrong usage or unusable input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/net/timing.h"
#include "common/world/command.h"

namespace orrery::cli {

struct ScenesOptions {
  std::string scene;  // scene to write as a scene file; empty: list all
  bool json = false;
};
int list_scenes(const ScenesOptions& options);

struct RunOptions {
  std::string scene;
  std::uint64_t ticks = 600;
  std::uint32_t threads = 1;
  std::optional<std::uint32_t> rate;
  std::string integrator;  // empty: that of the scene
  std::string rotation;    // empty: that of the scene
  std::string log;         // file to create; empty: none
  std::string seal_key;    // key file (common/host/net/key_file.h); empty: do not seal the log
  std::string commands;    // command file; empty: none
  std::string fault;    // as parse_fault() reads it (common/session/explain/fault.h); empty: none
  bool events = false;  // print events instead of the result
  bool json = false;
};
int run(const RunOptions& options);

struct VerifyOptions {
  std::vector<std::string> logs;
  std::string report;         // page to write; empty: none
  std::uint32_t jobs = 1;     // logs at the same time
  std::uint32_t threads = 1;  // for each log
  bool json = false;
};
int verify(const VerifyOptions& options);

struct DiffOptions {
  std::string a;
  std::string b;
  std::string report;  // page to write; empty: none
  std::uint32_t threads = 1;
  bool json = false;
};
int diff(const DiffOptions& options);

struct ReplayOptions {
  std::string log;
  std::optional<std::uint64_t> at;
  std::optional<std::uint64_t> from;  // used with `to`, which may be smaller
  std::optional<std::uint64_t> to;
  std::uint64_t every = 1;
  bool bodies = false;
  bool json = false;
};
int replay(const ReplayOptions& options);

struct LogOptions {
  std::string log;
  std::string seal_key;  // key file (common/host/net/key_file.h); empty: do not check seals
  bool json = false;
};
int log_info(const LogOptions& options);
int log_check(const LogOptions& options);

struct LogExportOptions {
  std::string log;
  bool csv = false;     // states instead of records
  bool single = false;  // join all segments into one file
  std::string out;      // that file
  std::uint64_t every = 1;
};
int log_export(const LogExportOptions& options);

struct LogCopyOptions {
  std::string log;
  std::string out;  // file to create
  bool json = false;
};
int log_repair(const LogCopyOptions& options);
int log_join(const LogCopyOptions& options);  // `orrery log export --single`

struct PlotOptions {
  std::string log;
  std::string out;  // .svg or .png
  bool json = false;
};
int plot(const PlotOptions& options);

struct ForkOptions {
  std::string log;
  std::uint64_t at = 0;
  std::optional<std::uint64_t> ticks;  // last tick; nothing: the end of the log and of the commands
  std::vector<std::string> settings;   // NAME=VALUE
  std::string commands;                // command file; empty: the commands of the log
  std::string out;
  bool json = false;
};
int fork_log(const ForkOptions& options);

// How a verb gets its connect token. If both are empty, it uses the key of a server of this user on
// this machine.
struct AccessOptions {
  std::string key_file;
  std::string token;

  bool is_local() const { return key_file.empty() && token.empty(); }
};

struct BotOptions {
  std::string server;
  AccessOptions access;
  std::uint32_t count = 1;
  std::uint32_t seconds = 10;
  std::uint64_t seed = 1;
  bool follow = false;  // step the world in each client
  // fault in the clients' worlds, for tests (common/session/explain/fault.h); empty: none
  std::string fault;
  bool json = false;
};
int bot(const BotOptions& options);

struct WatchOptions {
  std::string server;
  AccessOptions access;
  std::uint32_t seconds = 0;  // 0: until it is interrupted, or 10 s if stdout is no terminal
  bool events = false;        // print events instead of the table
  bool follow = false;        // step the world here and compare it
};
int watch(const WatchOptions& options);

struct TokenOptions {
  std::string key_file;
  std::string out;                           // file to create
  std::vector<std::string> servers;          // addresses in the token
  std::vector<std::string> send_to;          // addresses that the client sends to; empty: `servers`
  std::optional<std::uint64_t> client_id;    // nothing: random
  std::optional<std::uint64_t> protocol_id;  // nothing: that of the key file
  Role role = Role::play;
  std::uint32_t seconds = net::kTokenLifeSeconds;
  std::int32_t timeout = net::kTimeoutSeconds;
};
int issue(const TokenOptions& options);

struct NetsimOptions {
  std::string listen;
  std::string to;
  double loss = 0;  // percent, as the next three
  double duplicate = 0;
  double reorder = 0;
  double corrupt = 0;
  std::uint32_t delay = 0;   // milliseconds
  std::uint32_t jitter = 0;  // milliseconds
  std::uint32_t rate = 0;    // kilobits per second; 0: no limit
  std::uint64_t seed = 1;
  bool json = false;
};
int netsim(const NetsimOptions& options);

// Prints "orrery: " and the message on stderr, in one line. Returns `exit_code`.
int unusable(const std::string& message, int exit_code = 2);

}  // namespace orrery::cli
