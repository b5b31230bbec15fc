// Parses the options of orreryd from the command line and from a configuration file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/codec/delta/delta_codec.h"
#include "common/core/result.h"
#include "common/host/disk/segment_remover.h"
#include "common/net/packet/address.h"
#include "common/net/packet/packet.h"
#include "common/net/timing.h"
#include "server/operator/log_line.h"

namespace orrery::server {

inline constexpr const char* kDefaultListen = "127.0.0.1:4770";
inline constexpr const char* kDefaultWeb = "127.0.0.1:4780";

// The options of orreryd, with their defaults.
struct Options {
  std::string scene;  // empty: the playground, or the scene of the session to continue
  std::string listen = kDefaultListen;
  std::optional<std::string> web;  // "off" or an address; nothing: not given, see web_address()
  std::optional<std::string> web_hosts;  // hosts that the web side answers as; nothing: not given
  std::string log;  // empty: a name made of the start time and the scene, or the log to continue
  host::KeepLimit keep;             // part of the log that stays on the disk
  std::string seal_key;             // path of a key file (host/net/key_file.h); empty: no seals
  std::string resume;               // log of the session to continue (--resume); empty: not given
  std::string session;              // log to continue or begin (server/session_file.h)
  std::uint32_t rate = 0;           // ticks per second; 0: the scene's rate
  std::uint32_t snapshot_rate = 0;  // most snapshots per second to each client; 0: no limit
  codec::DeltaLevel delta_level = codec::DeltaLevel::fast;
  // Most kbit/s to each client. The default carries all bodies of any world at 60 ticks per second:
  // limits::kSnapshotPartsPerTick full datagrams a tick are 39,107 kbit/s.
  std::uint32_t client_kbit = 40'000;
  std::size_t mtu = net::kPacketBytesMax;  // bytes in the largest datagram to a client
  std::uint64_t ticks = 0;                 // last tick; 0: run until a signal
  std::uint32_t threads = 1;
  // If true, a second world replays the session while it runs, and compares every state.
  bool shadow = false;
  std::string status;  // path of the status file; empty: none
  // Empty: the server makes a key for this run, which clients of the same user can read.
  std::string key_file;
  std::string public_address;                // empty: the address of `listen`
  std::optional<std::uint64_t> protocol_id;  // none: the id in the key file
  std::uint64_t token_life = net::kTokenLifeSeconds;
  LogLevel log_level = LogLevel::info;  // lowest level that is written
  LogFormat log_format = LogFormat::text;
};

// Options, or a text for stdout (help or version) after which the program ends.
struct CommandLine {
  Options options;
  std::optional<std::string> text;
};

// Returns the address of the web side, or nothing if there is none. An explicit --web always
// counts. Without --web, the address is kDefaultWeb if --listen has its default, and there is no
// web side otherwise: a second server on this machine would find the port taken, and a server for
// the network needs no page. An Error names the option.
Result<std::optional<net::Address>> web_address(const Options& options);

// Parses the command line and the file of --config. The command line overrides the file. An Error
// is one line that names the option, or the file, line and key.
Result<CommandLine> parse_command_line(int argc, char** argv);

}  // namespace orrery::server
