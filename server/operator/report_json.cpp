// Formats the status file.
#include "common/host/text/json.h"
#include "common/net/packet/address_text.h"
#include "server/operator/report.h"

namespace orrery::server {
namespace {

using json::Object;
using json::of;

double kbit(double bytes) { return bytes * 8 / 1000; }

std::string client_json(const ClientReport& client) {
  const double milliseconds =
      static_cast<double>(client.round_trip) / static_cast<double>(net::kMillisecond);
  Object object;
  object.add("id", of(client.id.value))
      .add("role", of(role_name(client.role)))
      .add("address", of(std::string_view(net::format_address(client.address))))
      .add("round_trip_ms", client.round_trip == 0 ? json::null() : of(milliseconds))
      .add("loss", of(client.loss))
      .add("kbit_per_second", of(kbit(client.sent)))
      .add("room_kbit_per_second", of(kbit(client.room)))
      .add("lag_ticks", client.lag ? of(*client.lag) : json::null());
  return object.text();
}

std::string network_json(const SessionReport& report) {
  const net::NetCounters& net = report.network;
  Object dropped;
  for (std::size_t i = 0; i < net::kDrops; ++i) {
    dropped.add(net::drop_name(static_cast<net::Drop>(i)), of(net.drops[i]));
  }
  Object object;
  object.add("datagrams_received", of(net.datagrams_received))
      .add("bytes_received", of(net.bytes_received))
      .add("lost_unread", of(report.overflowed))
      .add("datagrams_sent", of(net.datagrams_sent))
      .add("bytes_sent", of(net.bytes_sent))
      .add("not_taken", of(report.unsent))
      .add("challenges", of(net.challenges))
      .add("denials", of(net.denials))
      .add("replacements", of(net.replacements))
      .add("moves", of(net.moves))
      .add("dropped", dropped.text());
  return object.text();
}

std::string commands_json(const InboxCounters& in, const RefusalCounters& refusals) {
  Object object;
  object.add("taken", of(in.commands))
      .add("repeated", of(in.repeated))
      .add("late", of(in.late))
      .add("too_early", of(in.too_early))
      .add("no_room", of(in.no_room))
      .add("gaps", of(in.gaps))
      .add("refused", of(refusals.refused))
      .add("refusals_left_out", of(refusals.left_out));
  return object.text();
}

std::string log_json(const session::LogState& log) {
  Object object;
  object.add("durable_tick", of(log.durable.value))
      .add("segment", of(log.segment))
      .add("failing", of(log.failing))
      .add("failures", of(log.failures))
      .add("lost_ticks", of(log.lost_ticks))
      .add("removed_tick", of(log.removed.last.value))
      .add("problem", log.damage.empty() && !log.failing
                          ? json::null()
                          : of(std::string_view(log.damage.empty() ? log.failure : log.damage)));
  return object.text();
}

std::string shadow_json(const ShadowState& shadow) {
  Object object;
  object.add("differs", of(shadow.differs))
      .add("tick", of(shadow.tick.value))
      .add("ticks_passed_over", of(shadow.passed_over));
  return object.text();
}

}  // namespace

std::string to_json(const SessionReport& report) {
  std::string clients;
  for (const ClientReport& client : report.clients) {
    clients += (clients.empty() ? "\n" : ",\n") + client_json(client);
  }
  Object object;
  object.add("unix_seconds", of(report.unix_seconds))
      .add("tick", of(report.tick.value))
      .add("ticks_slowed", of(report.ticks_slowed))
      .add("cpu_seconds", of(report.cpu_seconds))
      .add("connections", of(report.connections))
      .add("followers", of(report.followers))
      .add("mismatches", of(report.mismatches))
      .add("events_left_out", of(report.events_left_out))
      .add("journal_lines_dropped", of(report.journal_dropped))
      .add("network", network_json(report))
      .add("commands", commands_json(report.inbox, report.refusals))
      .add("log", log_json(report.log))
      .add("shadow", report.shadow ? shadow_json(*report.shadow) : json::null())
      .add("clients", '[' + clients + (clients.empty() ? "]" : "\n]"));
  return object.text() + '\n';
}

}  // namespace orrery::server
