// Logs the counters of a report. Except for the paths, the names are the same as in the status
// file.
#include <algorithm>
#include <cmath>

#include "server/operator/log_line.h"
#include "server/operator/report.h"

namespace orrery::server {
namespace {

double rounded(double value, double digits) { return std::round(value * digits) / digits; }

void log_network(const SessionReport& report) {
  const net::NetCounters& net = report.network;
  log_event(LogEvent::counters_network, {{"datagrams_received", net.datagrams_received},
                                         {"bytes_received", net.bytes_received},
                                         {"lost_unread", report.overflowed},
                                         {"datagrams_sent", net.datagrams_sent},
                                         {"bytes_sent", net.bytes_sent},
                                         {"not_taken", report.unsent},
                                         {"challenges", net.challenges},
                                         {"denials", net.denials},
                                         {"replacements", net.replacements},
                                         {"moves", net.moves}});
  std::vector<LogField> dropped;
  for (std::size_t i = 0; i < net::kDrops; ++i) {
    dropped.emplace_back(net::drop_name(static_cast<net::Drop>(i)), net.drops[i]);
  }
  log_event(LogEvent::counters_dropped, dropped);
}

void log_paths(const std::vector<ClientReport>& clients) {
  net::Nanoseconds round_trip = 0;
  double loss = 0;
  double least = net::CongestionControl::kRateMax;
  for (const ClientReport& client : clients) {
    round_trip = std::max(round_trip, client.round_trip);
    loss = std::max(loss, client.loss);
    least = std::min(least, client.room);
  }
  log_event(LogEvent::counters_paths, {{"round_trip_ms_max", round_trip / net::kMillisecond},
                                       {"loss_percent_max", rounded(100 * loss, 10)},
                                       {"room_kbit_per_second_min", std::round(8 * least / 1000)}});
}

void log_state(const session::LogState& log) {
  std::vector<LogField> fields = {{"durable_tick", log.durable.value},
                                  {"segment", log.segment},
                                  {"failures", log.failures},
                                  {"lost_ticks", log.lost_ticks},
                                  {"removed_tick", log.removed.last.value}};
  if (!log.damage.empty()) {
    fields.emplace_back("problem", log.damage);
  } else if (log.failing) {
    fields.emplace_back("problem", log.failure);
  }
  log_event(LogEvent::counters_log, fields);
}

}  // namespace

void log_counters(const SessionReport& report) {
  log_event(LogEvent::counters_session, {{"tick", report.tick.value},
                                         {"ticks_slowed", report.ticks_slowed},
                                         {"cpu_seconds", rounded(report.cpu_seconds, 1000)},
                                         {"connections", report.connections},
                                         {"followers", report.followers},
                                         {"mismatches", report.mismatches},
                                         {"events_left_out", report.events_left_out},
                                         {"journal_lines_dropped", report.journal_dropped}});
  log_network(report);
  if (report.connections > 0) log_paths(report.clients);
  const InboxCounters& in = report.inbox;
  log_event(LogEvent::counters_commands, {{"taken", in.commands},
                                          {"repeated", in.repeated},
                                          {"late", in.late},
                                          {"too_early", in.too_early},
                                          {"no_room", in.no_room},
                                          {"gaps", in.gaps},
                                          {"refused", report.refusals.refused},
                                          {"refusals_left_out", report.refusals.left_out}});
  log_state(report.log);
  if (report.shadow) {
    log_event(LogEvent::counters_shadow, {{"differs", report.shadow->differs},
                                          {"tick", report.shadow->tick.value},
                                          {"ticks_passed_over", report.shadow->passed_over}});
  }
}

}  // namespace orrery::server
