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
  object.add({{"clients", totals.clients},
              {"connected", totals.connected},
              {"snapshots", sum.snapshots},
              {"snapshots_selected", sum.selected},
              {"snapshots_incomplete", sum.incomplete},
              {"snapshots_late", sum.late},
              {"commands", sum.commands},
              {"commands_acknowledged", sum.acknowledged},
              {"hash_checks", sum.hash_checks},
              {"hash_failures", sum.hash_failures},
              {"problems", sum.problems},
              {"bytes_received_per_client_second", bytes_rate(totals)},
              {"round_trip_seconds", sum.round_trip_seconds / connected},
              {"loss", sum.loss / connected},
              {"seconds", totals.seconds},
              {"cpu_seconds", totals.cpu_seconds},
              {"connections", sum.connections},
              {"reconnects", sum.reconnects},
              {"frames", sum.frames},
              {"shown_compared", totals.shown.compared},
              {"shown_exact", totals.shown.exact},
              {"shown_extrapolated", totals.shown.extrapolated},
              {"shown_unlogged", totals.shown.unlogged},
              {"shown_wrong", totals.shown.wrong},
              {"shown_error_max", totals.shown.error_max},
              {"shown_error_rms", totals.shown.error_rms()},
              {"commands_refused", sum.refused},
              {"paths_narrowed", sum.narrowed}});
  json::print(object.text());
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
