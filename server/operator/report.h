// Owns the counters of a session that runs: the lines of SIGUSR1, and the file of --status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/host/disk/log_file.h"
#include "common/host/net/udp.h"
#include "common/net/server_endpoint.h"
#include "server/background.h"
#include "server/inbox.h"
#include "server/operator/operator_stream.h"
#include "server/server.h"
#include "server/shadow.h"

namespace orrery::server {

struct ClientReport {
  ClientId id{};
  Role role = Role::watch;
  net::Address address{};
  net::Nanoseconds round_trip = 0;   // 0: not known yet
  double loss = 0;                   // share of the messages to it
  double sent = 0;                   // bytes per second, in the last second
  double room = 0;                   // bytes per second that it may be sent
  std::optional<std::uint64_t> lag;  // ticks; nothing before it has a state
};

struct SessionReport {
  std::uint64_t unix_seconds = 0;
  Tick tick{};
  std::uint64_t ticks_slowed = 0;
  double cpu_seconds = 0;
  std::uint32_t connections = 0;
  net::NetCounters network;
  std::uint64_t overflowed = 0;  // datagrams that were lost unread
  std::uint64_t unsent = 0;      // datagrams that the system did not take
  InboxCounters inbox;
  host::LogState log;
  std::optional<ShadowState> shadow;
  std::uint64_t followers = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t events_left_out = 0;
  std::uint64_t journal_dropped = 0;  // lines
  std::vector<ClientReport> clients;  // that have joined
};

// Writes the counters as lines.
void write_lines(const SessionReport& report);

// Returns one JSON object, with a line for each client.
std::string to_json(const SessionReport& report);

// Collects reports, and passes them on. Never waits.
class Reporter {
 public:
  // All references outlive it. `background` writes the file.
  Reporter(const Server& server, const host::UdpNetwork& network, const host::LogFile& log,
           const OperatorStream& operator_stream, Background& background);

  // Updates the file if a second has passed since the last time.
  void update(std::uint64_t ticks_slowed, net::Nanoseconds now);

  // Writes lines, and updates the file.
  void report(std::uint64_t ticks_slowed, net::Nanoseconds now);

 private:
  // What a client is sent.
  struct Meter {
    std::uint64_t bytes = 0;  // so far
    double rate = 0;          // bytes per second
  };

  void measure(net::Nanoseconds now);
  SessionReport collect(std::uint64_t ticks_slowed, net::Nanoseconds now) const;

  const Server& server_;
  const host::UdpNetwork& network_;
  const host::LogFile& log_;
  const OperatorStream& operator_stream_;
  Background& background_;
  std::vector<Meter> meters_;      // client c is at c - 1
  net::Nanoseconds measured_ = 0;  // 0: not yet
};

}  // namespace orrery::server
