// Collects the counters of a running session for the log, the status file and /metrics.
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

// State of one client.
struct ClientReport {
  ClientId id{};
  Role role = Role::watch;
  net::Address address{};
  net::Nanoseconds round_trip = 0;   // nanoseconds; 0: not known yet
  double loss = 0;                   // share of messages to the client that are lost, 0 to 1
  double sent = 0;                   // bytes per second, in the last second
  double room = 0;                   // bytes per second allowed by congestion control
  std::optional<std::uint64_t> lag;  // ticks; nothing while not known
};

// Counters since the start, and the state of the session now.
struct SessionReport {
  std::uint64_t unix_seconds = 0;
  Tick tick{};
  std::uint64_t ticks_slowed = 0;
  double cpu_seconds = 0;
  std::uint32_t connections = 0;
  net::NetCounters network;
  std::uint64_t overflowed = 0;  // datagrams lost because the receive buffer was full
  std::uint64_t unsent = 0;      // datagrams that the system refused to send
  InboxCounters inbox;
  RefusalCounters refusals;
  session::LogState log;
  std::optional<ShadowState> shadow;
  std::uint64_t followers = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t events_left_out = 0;
  std::uint64_t journal_dropped = 0;  // log lines that a full queue dropped
  std::vector<ClientReport> clients;  // clients that have joined
};

// Logs the counters as events.
void log_counters(const SessionReport& report);

// Returns one JSON object with one line for each client.
std::string to_json(const SessionReport& report);

// Returns the counters that are numbers in the text format of Prometheus, version 0.0.4, without
// those of single clients.
std::string to_metrics(const SessionReport& report);

// Collects reports, and passes them to the log and to the status file. Never waits.
class Reporter {
 public:
  // `background` writes the status file. REQUIRES: all arguments outlive the reporter.
  Reporter(const Server& server, const host::UdpNetwork& network, const host::LogFile& log,
           const OperatorStream& operator_stream, Background& background);

  // Updates the file of the newest token, and the status file if a second has passed since its last
  // update.
  void update(std::uint64_t ticks_slowed, net::Nanoseconds now);

  // Logs the counters and updates the status file.
  void report(std::uint64_t ticks_slowed, net::Nanoseconds now);

  // Returns the counters at this time for /metrics.
  std::string metrics(net::Nanoseconds now) const { return to_metrics(collect(now)); }

 private:
  // Measurement of the rate at which data is sent to a client.
  struct Meter {
    std::uint64_t bytes = 0;  // bytes sent at the last measurement
    double rate = 0;          // bytes per second
  };

  void measure(net::Nanoseconds now);
  SessionReport collect(net::Nanoseconds now) const;

  const Server& server_;
  const host::UdpNetwork& network_;
  const host::LogFile& log_;
  const OperatorStream& operator_stream_;
  Background& background_;
  PerClient<Meter> meters_;
  std::uint64_t ticks_slowed_ = 0;  // as last given
  net::Nanoseconds measured_ = 0;   // time of the last measurement; 0: none yet
};

}  // namespace orrery::server
