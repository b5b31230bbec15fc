// Lists the counters of a session.
#include "server/operator/counters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/net/packet/address_text.h"

namespace orrery::server {
namespace {

double rounded(double value, double digits) { return std::round(value * digits) / digits; }

double kbit(double bytes) { return bytes * 8 / 1000; }

double milliseconds(net::Nanoseconds time) {
  return static_cast<double>(time) / static_cast<double>(net::kMillisecond);
}

// Returns the value of the client that `pick` chooses, or nothing if there is no client.
template <class Pick, class Function>
CounterValue of_clients(const SessionReport& report, Pick pick, Function value) {
  if (report.clients.empty()) return {};
  double picked = value(report.clients.front());
  for (const ClientReport& client : report.clients) picked = pick(picked, value(client));
  return picked;
}

CounterValue problem_of(const session::LogState& log) {
  if (!log.damage.empty()) return log.damage;
  return log.failing ? CounterValue(log.failure) : CounterValue();
}

// One row for each counter: group, name, whether it grows, value, meaning.
// clang-format off
#define COUNTER(group, name, grows, value, meaning) \
  {#group, name, meaning, grows, [](const SessionReport& r) -> CounterValue { return value; }}
#define OF_SHADOW(value) r.shadow ? CounterValue(r.shadow->value) : CounterValue()
#define DROP(id, meaning) \
  COUNTER(dropped, #id, true, r.network.drops[static_cast<std::size_t>(net::Drop::id)], meaning),
constexpr auto kCounters = std::to_array<Counter<SessionReport>>({
COUNTER(session, "tick", false, r.tick.value, "Last tick of the session."),
COUNTER(session, "ticks_slowed", true, r.ticks_slowed,
        "Ticks by which the session is later than the clock, since the start."),
COUNTER(session, "cpu_seconds", true, rounded(r.cpu_seconds, 1000),
        "CPU time of the process, in seconds."),
COUNTER(session, "connections", false, std::uint64_t{r.connections},
        "Connections, including clients that have not joined yet."),
COUNTER(session, "followers", false, r.followers, "Clients that step the world themselves."),
COUNTER(session, "mismatches", true, r.mismatches,
        "Clients that computed another state than the server, since the start."),
COUNTER(session, "events_left_out", true, r.events_left_out,
        "World events that clients did not receive: too many in one tick, or too many waited for "
        "them. Clients count them as `events_missed`."),
COUNTER(session, "journal_lines_dropped", true, r.journal_dropped,
        "Log lines that were lost because nothing read stderr."),
COUNTER(network, "datagrams_received", true, r.network.datagrams_received, "Datagrams received."),
COUNTER(network, "bytes_received", true, r.network.bytes_received,
        "Bytes of these datagrams, without UDP and IP headers."),
COUNTER(network, "lost_unread", true, r.overflowed,
        "Datagrams that the system dropped because the server was busy. Raise "
        "`net.core.rmem_max`, or serve fewer clients."),
COUNTER(network, "datagrams_sent", true, r.network.datagrams_sent, "Datagrams sent."),
COUNTER(network, "bytes_sent", true, r.network.bytes_sent,
        "Bytes of these datagrams, without UDP and IP headers."),
COUNTER(network, "not_taken", true, r.unsent,
        "Datagrams that the system did not send: its buffer was full, or there is no route."),
COUNTER(network, "challenges", true, r.network.challenges,
        "Challenges sent. One for each connection is normal."),
COUNTER(network, "denials", true, r.network.denials,
        "Denials sent, because the server was full."),
COUNTER(network, "replacements", true, r.network.replacements,
        "Connections that ended because the same client id connected again. Many of one client "
        "mean that several programs share its id."),
COUNTER(network, "moves", true, r.network.moves,
        "Connections that continued from another address of their client."),
ORRERY_DROPS(DROP)
COUNTER(paths, "round_trip_ms_max", false,
        of_clients(r, std::ranges::max,
                   [](const ClientReport& c) { return rounded(milliseconds(c.round_trip), 1); }),
        "Longest round trip of all clients, in milliseconds. The counters of paths are null, or "
        "missing, without clients."),
COUNTER(paths, "loss_percent_max", false,
        of_clients(r, std::ranges::max,
                   [](const ClientReport& c) { return rounded(100 * c.loss, 10); }),
        "Highest loss of all clients, in percent."),
COUNTER(paths, "room_kbit_per_second_min", false,
        of_clients(r, std::ranges::min,
                   [](const ClientReport& c) { return rounded(kbit(c.room), 1); }),
        "Lowest rate that may be sent to a client."),
COUNTER(commands, "taken", true, r.inbox.commands,
        "Commands that went into ticks, including commands that the world or the limits of the "
        "scene refused."),
COUNTER(commands, "repeated", true, r.inbox.repeated,
        "Copies. Clients repeat commands until they are acknowledged, so these are normal."),
COUNTER(commands, "late", true, r.inbox.late,
        "Commands for a tick that was over; applied in the next tick. Many mean that a client's "
        "clock is late."),
COUNTER(commands, "too_early", true, r.inbox.too_early,
        "Commands for a tick too far in the future; moved to 120 ticks ahead."),
COUNTER(commands, "no_room", true, r.inbox.no_room,
        "Input messages of which the last commands found no room in the queue; the client repeats "
        "them."),
COUNTER(commands, "gaps", true, r.inbox.gaps,
        "Input messages refused because earlier commands had not arrived."),
COUNTER(commands, "refused", true, r.refusals.refused,
        "Commands that the session refused: the role, the body or the limits of the scene did not "
        "allow them. Each client gets a list, with reasons."),
COUNTER(commands, "refusals_left_out", true, r.refusals.left_out,
        "Refused commands that the server could not report, because too many refusals waited for "
        "the client."),
COUNTER(log, "durable_tick", false, r.log.durable.value,
        "Last tick that the disk has. Alarm if it is more than a second older than `tick`."),
COUNTER(log, "segment", false, std::uint64_t{r.log.segment},
        "Number of the segment that is written."),
COUNTER(log, "failing", false, r.log.failing, "Whether the last write or sync failed."),
COUNTER(log, "failures", true, r.log.failures,
        "Writes and syncs that failed, since the start."),
COUNTER(log, "lost_ticks", true, r.log.lost_ticks,
        "Ticks that are missing from the log because more log waited for the disk than the limit."),
COUNTER(log, "removed_tick", false, r.log.removed.last.value,
        "Last tick whose records `--keep` removed; 0 if none."),
COUNTER(log, "problem", false, problem_of(r.log),
        "Why the log is not durable: an error of the disk, or a damaged file. Null, or no field in "
        "a log line, while there is no problem. Alarm on it."),
COUNTER(shadow, "differs", false, OF_SHADOW(differs),
        "Whether the shadow differs from the session. `shadow` is null without `--shadow`."),
COUNTER(shadow, "tick", false, OF_SHADOW(tick.value), "Last tick that the shadow compared."),
COUNTER(shadow, "ticks_passed_over", true, OF_SHADOW(passed_over),
        "Ticks that the shadow skipped because it was too slow."),
});
#undef DROP
#undef OF_SHADOW
#undef COUNTER

#define COUNTER(name, value, meaning) \
  {"clients", name, meaning, false, [](const ClientReport& c) -> CounterValue { return value; }}
constexpr auto kClientCounters = std::to_array<Counter<ClientReport>>({
COUNTER("id", std::uint64_t{c.id.value}, "Number of the client in commands."),
COUNTER("role", std::string(role_name(c.role)), "`watch`, `play` or `admin`."),
COUNTER("address", net::format_address(c.address), "Address that the client sends from."),
COUNTER("round_trip_ms",
        c.round_trip == 0 ? CounterValue() : CounterValue(milliseconds(c.round_trip)),
        "Round trip time in milliseconds. Null while not known."),
COUNTER("loss", c.loss, "Share of the messages to the client that were lost, 0 to 1."),
COUNTER("kbit_per_second", kbit(c.sent),
        "Rate sent to the client in the last second, without UDP and IP headers."),
COUNTER("room_kbit_per_second", kbit(c.room), "Rate that may be sent to the client."),
COUNTER("lag_ticks", c.lag ? CounterValue(*c.lag) : CounterValue(),
        "For a follower, ticks that wait to be sent. For others, ticks since the newest message "
        "that the client confirmed. Null while not known."),
});
#undef COUNTER
// clang-format on

}  // namespace

std::span<const Counter<SessionReport>> session_counters() { return kCounters; }

std::span<const Counter<ClientReport>> client_counters() { return kClientCounters; }

}  // namespace orrery::server
