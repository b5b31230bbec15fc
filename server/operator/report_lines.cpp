// Owns the lines of the counters.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "server/operator/report.h"

namespace orrery::server {
namespace {

void write_paths(const std::vector<ClientReport>& clients) {
  net::Nanoseconds round_trip = 0;
  double loss = 0;
  double least = net::CongestionControl::kRateMax;
  for (const ClientReport& client : clients) {
    round_trip = std::max(round_trip, client.round_trip);
    loss = std::max(loss, client.loss);
    least = std::min(least, client.room);
  }
  spdlog::info(
      "of the clients, at most {} ms there and back, {:.1f} % lost, and at least {:.0f} kbit/s of "
      "room",
      round_trip / net::kMillisecond, 100 * loss, 8 * least / 1000);
}

}  // namespace

void write_lines(const SessionReport& report) {
  const net::NetCounters& net = report.network;
  const InboxCounters& in = report.inbox;
  spdlog::info("ticks {}, slowed by {}, clients {}, cpu {:.3f} s", report.tick.value,
               report.ticks_slowed, report.connections, report.cpu_seconds);
  spdlog::info(
      "received {} datagrams, {} bytes, lost unread {}; sent {}, {} bytes; not taken by the system "
      "{}",
      net.datagrams_received, net.bytes_received, report.overflowed, net.datagrams_sent,
      net.bytes_sent, report.unsent);
  if (report.connections > 0) write_paths(report.clients);
  spdlog::info("clients that follow {}, that came to another state {}", report.followers,
               report.mismatches);
  spdlog::info("events that clients were not told of {}", report.events_left_out);
  spdlog::info("commands {}, repeated {}, late {}, too early {}, no room {}, gaps {}", in.commands,
               in.repeated, in.late, in.too_early, in.no_room, in.gaps);
  spdlog::info("log: durable to tick {}, segment {}, failures of the disk {}, ticks lost {}",
               report.log.durable.value, report.log.segment, report.log.failures,
               report.log.lost_ticks);
  if (report.shadow) {
    spdlog::info("shadow: {} tick {}, ticks passed over {}",
                 report.shadow->differs ? "differs at" : "agrees up to", report.shadow->tick.value,
                 report.shadow->passed_over);
  }
  std::string drops;
  for (std::size_t i = 0; i < net::kDrops; ++i) {
    drops += fmt::format(" {} {}", net::drop_name(static_cast<net::Drop>(i)), net.drops[i]);
  }
  spdlog::info("challenges {}, denials {}; dropped:{}", net.challenges, net.denials, drops);
}

}  // namespace orrery::server
