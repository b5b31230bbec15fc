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
  if (!background_.writes_reports() || (measured_ != 0 && now - measured_ < net::kSecond)) return;
  measure(now);
  background_.write(collect(ticks_slowed, now));
}

void Reporter::report(std::uint64_t ticks_slowed, net::Nanoseconds now) {
  const SessionReport report = collect(ticks_slowed, now);
  log_counters(report);
  background_.write(report);
}

void Reporter::measure(net::Nanoseconds now) {
  const net::ServerEndpoint& endpoint = server_.endpoint();
  const double elapsed = static_cast<double>(now - measured_) / static_cast<double>(net::kSecond);
  for (std::uint32_t c = 1; c <= endpoint.highest().value; ++c) {
    Meter& meter = meters_[c - 1];
    const std::uint64_t bytes = endpoint.bytes_sent(ClientId{c});
    if (bytes < meter.bytes) meter.bytes = 0;  // the slot has a new client
    meter.rate = measured_ == 0 ? 0 : static_cast<double>(bytes - meter.bytes) / elapsed;
    meter.bytes = bytes;
  }
  measured_ = now;
}

SessionReport Reporter::collect(std::uint64_t ticks_slowed, net::Nanoseconds now) const {
  const net::ServerEndpoint& endpoint = server_.endpoint();
  SessionReport report;
  report.unix_seconds = host::unix_seconds();
  report.tick = server_.world().tick();
  report.ticks_slowed = ticks_slowed;
  report.cpu_seconds = host::process_cpu_seconds();
  report.connections = endpoint.clients();
  report.network = endpoint.counters();
  report.overflowed = network_.overflowed();
  report.unsent = network_.unsent();
  report.inbox = server_.inbox().counters();
  report.log = log_.state();
  if (const Shadow* const shadow = server_.shadow()) report.shadow = shadow->state();
  report.followers = server_.followers();
  report.mismatches = server_.mismatches();
  report.events_left_out = server_.events().left_out();
  report.journal_dropped = operator_stream_.dropped();
  for (std::uint32_t c = 1; c <= endpoint.highest().value; ++c) {
    const ClientId id{c};
    if (!endpoint.joined(id)) continue;
    const net::PathEstimator& path = endpoint.path(id);
    report.clients.push_back({id, endpoint.role(id), endpoint.address(id), path.round_trip(),
                              path.loss(), meters_[c - 1].rate, endpoint.budget(id).rate(),
                              server_.lag(id, now)});
  }
  return report;
}

}  // namespace orrery::server
