// Adds up and prints the results of test clients.
#include "client/cli/verbs/bot/totals.h"

#include <algorithm>
#include <cstdio>

#include "client/cli/json.h"
#include "common/core/counted.h"
#include "common/net/packet/packet.h"

namespace orrery::cli {
namespace {

double bytes_rate(const Totals& totals) {
  const double client_seconds = totals.seconds * totals.clients;
  return client_seconds > 0 ? static_cast<double>(totals.sum.bytes_received) / client_seconds : 0;
}

// Prints the fields of earlier versions under their old names and in the old order, so that scripts
// keep working. New fields follow.
void print_json(const Totals& totals) {
  const client::BotReport& sum = totals.sum;
  const double connected = std::max<double>(1, static_cast<double>(totals.connected));
  json::Object object;
  object.add("clients", json::of(totals.clients))
      .add("connected", json::of(totals.connected))
      .add("snapshots", json::of(sum.snapshots))
      .add("snapshots_selected", json::of(sum.selected))
      .add("snapshots_incomplete", json::of(sum.incomplete))
      .add("snapshots_late", json::of(sum.late))
      .add("commands", json::of(sum.commands))
      .add("commands_acknowledged", json::of(sum.acknowledged))
      .add("hash_checks", json::of(sum.hash_checks))
      .add("hash_failures", json::of(sum.hash_failures))
      .add("problems", json::of(sum.problems))
      .add("bytes_received_per_client_second", json::of(bytes_rate(totals)))
      .add("round_trip_seconds", json::of(sum.round_trip_seconds / connected))
      .add("loss", json::of(sum.loss / connected))
      .add("seconds", json::of(totals.seconds))
      .add("cpu_seconds", json::of(totals.cpu_seconds))
      .add("connections", json::of(sum.connections))
      .add("reconnects", json::of(sum.reconnects))
      .add("frames", json::of(sum.frames))
      .add("shown_compared", json::of(totals.shown.compared))
      .add("shown_exact", json::of(totals.shown.exact))
      .add("shown_extrapolated", json::of(totals.shown.extrapolated))
      .add("shown_unlogged", json::of(totals.shown.unlogged))
      .add("shown_wrong", json::of(totals.shown.wrong))
      .add("shown_error_max", json::of(totals.shown.error_max))
      .add("shown_error_rms", json::of(totals.shown.error_rms()))
      .add("commands_refused", json::of(sum.refused))
      .add("paths_narrowed", json::of(sum.narrowed));
  std::printf("%s\n", object.text().c_str());
}

}  // namespace

Totals add_up(const std::vector<Seat>& crowd) {
  Totals totals;
  totals.clients = static_cast<std::uint32_t>(crowd.size());
  for (const Seat& seat : crowd) {
    const client::BotReport report = seat.bot->report();
    totals.connected += report.connected ? 1 : 0;
    totals.sum.only_watches |= report.only_watches;
    totals.sum.snapshots += report.snapshots;
    totals.sum.selected += report.selected;
    totals.sum.incomplete += report.incomplete;
    totals.sum.late += report.late;
    totals.sum.commands += report.commands;
    totals.sum.acknowledged += report.acknowledged;
    totals.sum.refused += report.refused;
    totals.sum.narrowed += report.narrowed;
    totals.sum.bytes_received += report.bytes_received;
    totals.sum.round_trip_seconds += report.round_trip_seconds;
    totals.sum.loss += report.loss;
    totals.sum.hash_checks += report.hash_checks;
    totals.sum.hash_failures += report.hash_failures;
    totals.sum.connections += report.connections;
    totals.sum.reconnects += report.reconnects;
    totals.sum.frames += report.frames;
    totals.sum.problems += report.problems;
    if (totals.sum.first_problem.empty()) totals.sum.first_problem = report.first_problem;
  }
  return totals;
}

void print(const Totals& totals, bool as_json) {
  if (as_json) return print_json(totals);
  const client::BotReport& sum = totals.sum;
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("%llu of %u clients connected; %llu snapshots, %llu incomplete, %llu late\n",
              number(totals.connected), totals.clients, number(sum.snapshots),
              number(sum.incomplete), number(sum.late));
  std::printf("%llu commands, %llu acknowledged; %.0f bytes/s per client; %llu problems\n",
              number(sum.commands), number(sum.acknowledged), bytes_rate(totals),
              number(sum.problems));
  if (sum.refused > 0) {
    std::printf("%s refused by the server\n", counted(sum.refused, "command").c_str());
  }
  if (sum.narrowed > 0) {
    std::printf("%s: large datagrams do not arrive, small ones do (orreryd --mtu %zu)\n",
                counted(sum.narrowed, "client").c_str(), net::kDatagramBytesMin);
  }
  if (sum.reconnects > 0) std::printf("%s\n", counted(sum.reconnects, "reconnect").c_str());
  if (sum.hash_checks > 0) {
    std::printf("%llu states compared, %llu differ from the server's\n", number(sum.hash_checks),
                number(sum.hash_failures));
  }
  const client::ShownReport& shown = totals.shown;
  if (shown.compared + shown.unlogged == 0) return;
  std::printf("%llu shown poses compared with the log, %llu wrong; error %.3g rms, %.3g at most\n",
              number(shown.compared), number(shown.wrong), shown.error_rms(), shown.error_max);
}

}  // namespace orrery::cli
