// Collects the counters of a running session.
#include "server/operator/report.h"

#include <algorithm>

#include "common/host/process/clock.h"

namespace orrery::server {

Reporter::Reporter(const Server& server, const host::UdpNetwork& network, const host::LogFile& log,
                   const OperatorStream& operator_stream, Background& background)
    : server_(server),
      network_(network),
      log_(log),
      operator_stream_(operator_stream),
      background_(background),
      meters_(limits::kClientsMax) {}

void Reporter::update(std::uint64_t ticks_slowed, net::Nanoseconds now) {
  ticks_slowed_ = ticks_slowed;
  background_.write_newest_token(server_.endpoint().gate().newest_token());
  if (!background_.writes_reports() || (measured_ != 0 && now - measured_ < net::kSecond)) return;
  measure(now);
  background_.write(collect(now));
}

void Reporter::report(std::uint64_t ticks_slowed, net::Nanoseconds now) {
  ticks_slowed_ = ticks_slowed;
  const SessionReport report = collect(now);
  log_counters(report);
  background_.write(report);
}

void Reporter::measure(net::Nanoseconds now) {
  const net::ServerPeers& peers = server_.endpoint().peers();
  const double elapsed = static_cast<double>(now - measured_) / static_cast<double>(net::kSecond);
  for (ClientId client{1}; client <= peers.highest(); ++client.value) {
    Meter& meter = meters_[client];
    const std::uint64_t bytes = peers[client].link.bytes_sent();
    if (bytes < meter.bytes) meter.bytes = 0;  // the slot has a new client
    meter.rate = measured_ == 0 ? 0 : static_cast<double>(bytes - meter.bytes) / elapsed;
    meter.bytes = bytes;
  }
  measured_ = now;
}

SessionReport Reporter::collect(net::Nanoseconds now) const {
  const net::ServerPeers& peers = server_.endpoint().peers();
  SessionReport report;
  report.unix_seconds = host::unix_seconds();
  report.tick = server_.world().tick();
  report.ticks_slowed = ticks_slowed_;
  report.cpu_seconds = host::process_cpu_seconds();
  report.connections = peers.count();
  report.network = server_.endpoint().counters();
  report.overflowed = network_.overflowed();
  report.unsent = network_.unsent();
  report.inbox = server_.inbox().counters();
  report.refusals = server_.refusals().counters();
  report.log = log_.state();
  if (const Shadow* const shadow = server_.shadow()) report.shadow = shadow->state();
  report.followers = server_.followers();
  report.mismatches = server_.mismatches();
  report.events_left_out = server_.events_left_out();
  report.journal_dropped = operator_stream_.dropped();
  for (ClientId client{1}; client <= peers.highest(); ++client.value) {
    const net::ServerPeer& peer = peers[client];
    if (!peer.joined) continue;
    const net::PathEstimator& path = peer.link.path();
    report.clients.push_back({client, peer.role, peer.link.address(), path.round_trip(),
                              path.loss(), meters_[client].rate, peer.budget.rate(),
                              server_.lag(client, now)});
  }
  return report;
}

}  // namespace orrery::server
