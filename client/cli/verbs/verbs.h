// Owns what the verbs of `orrery` are asked for. Each verb is a file; its function returns the exit
// code: 0 as asked, 1 the check failed, 2 wrong usage or unusable input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/net/timing.h"
#include "common/world/command.h"

namespace orrery::cli {

struct ScenesOptions {
  std::string scene;  // to write as a scene file; empty: list all
  bool json = false;
};
int list_scenes(const ScenesOptions& options);

struct RunOptions {
  std::string scene;
  std::uint64_t ticks = 600;
  std::uint32_t threads = 1;
  std::optional<std::uint32_t> rate;
  std::string integrator;  // empty: the scene's
  std::string rotation;    // empty: the scene's
  std::string log;         // empty: none
  std::string seal_key;    // a file (host/net/key_file.h); empty: the log is not sealed
  std::string commands;    // a file of them; empty: none
  std::string fault;       // what to break; empty: nothing
  bool events = false;     // on stdout, in place of the report
  bool json = false;
};
int run(const RunOptions& options);

struct VerifyOptions {
  std::vector<std::string> logs;
  std::string report;         // a page to write of a divergence; empty: none
  std::uint32_t jobs = 1;     // logs at a time
  std::uint32_t threads = 1;  // of each
  bool json = false;
};
int verify(const VerifyOptions& options);

struct DiffOptions {
  std::string a;
  std::string b;
  std::string report;  // a page to write; empty: none
  std::uint32_t threads = 1;
  bool json = false;
};
int diff(const DiffOptions& options);

struct ReplayOptions {
  std::string log;
  std::optional<std::uint64_t> at;
  std::optional<std::uint64_t> from;  // with `to`, which may be before it
  std::optional<std::uint64_t> to;
  std::uint64_t every = 1;
  bool bodies = false;
  bool json = false;
};
int replay(const ReplayOptions& options);

struct LogOptions {
  std::string log;
  std::string
      seal_key;  // a file (host/net/key_file.h); empty: whether it is sealed does not matter
  bool json = false;
};
int log_info(const LogOptions& options);
int log_check(const LogOptions& options);

struct LogExportOptions {
  std::string log;
  bool csv = false;     // states, in place of records
  bool single = false;  // all segments, as one file
  std::string out;      // that file
  std::uint64_t every = 1;
};
int log_export(const LogExportOptions& options);

struct LogCopyOptions {
  std::string log;
  std::string out;  // a new file
  bool json = false;
};
int log_repair(const LogCopyOptions& options);
int log_join(const LogCopyOptions& options);  // orrery log export --single

struct PlotOptions {
  std::string log;
  std::string out;  // .svg or .png
  bool json = false;
};
int plot(const PlotOptions& options);

struct ForkOptions {
  std::string log;
  std::uint64_t at = 0;
  std::optional<std::uint64_t> ticks;  // nothing: to the end of the log and of the commands
  std::vector<std::string> settings;   // NAME=VALUE
  std::string commands;                // a file of them; empty: those of the log
  std::string out;
  bool json = false;
};
int fork_log(const ForkOptions& options);

// By what a verb connects; both empty: by the key of a server of this user on this machine.
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
  bool follow = false;  // step the world themselves
  std::string
      fault;  // for tests: what goes wrong in their worlds (session/explain/fault.h); or empty
  bool json = false;
};
int bot(const BotOptions& options);

struct WatchOptions {
  std::string server;
  AccessOptions access;
  std::uint32_t seconds = 0;  // 0: until asked to end; where stdout is no terminal, ten
  bool events = false;        // lines of events in place of the table
  bool follow = false;        // step the world here, and say every second whether it is the same
};
int watch(const WatchOptions& options);

struct TokenOptions {
  std::string key_file;
  std::string out;                           // a new file
  std::vector<std::string> servers;          // by their own addresses
  std::vector<std::string> send_to;          // empty: the same
  std::optional<std::uint64_t> client_id;    // drawn, if there is none
  std::optional<std::uint64_t> protocol_id;  // that of the key file, if there is none
  Role role = Role::play;
  std::uint32_t seconds = net::kTokenLifeSeconds;
  std::int32_t timeout = net::kTimeoutSeconds;
};
int issue(const TokenOptions& options);

struct NetsimOptions {
  std::string listen;
  std::string to;
  double loss = 0;  // of a hundred datagrams
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

// Prints "orrery: " and the message on stderr, in one line; returns 2.
int unusable(const std::string& message, int exit_code = 2);

}  // namespace orrery::cli
