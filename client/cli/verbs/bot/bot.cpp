// Implements `orrery bot`: runs test clients in one process and reports their checks.
#include "client/cli/bots/bot.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/log_input.h"
#include "client/cli/no_answer.h"
#include "client/cli/stopwatch.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/bot/crowd.h"
#include "client/cli/verbs/bot/totals.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/printable.h"
#include "common/host/disk/flight_file.h"
#include "common/host/disk/log_segments.h"
#include "common/host/process/failure.h"
#include "common/host/process/terminal.h"
#include "common/net/packet/address_text.h"
#include "common/session/explain/fault.h"

namespace orrery::cli {
namespace {

struct Options {
  std::string server;
  client::AccessOptions access;
  std::uint32_t count = 1;
  std::uint32_t seconds = 10;
  std::uint64_t seed = 1;
  std::string behaviours = "mixed";  // names, separated by commas
  std::string log;                   // log to compare shown poses with; empty: none
  bool follow = false;               // step the world in each client
  bool plain = false;                // receive plain snapshots, not those of mode delta
  // fault in the clients' worlds, for tests (common/session/explain/fault.h); empty: none
  std::string fault;
  bool json = false;
};

// Maximum number of poses that all bots together keep for a comparison with the log. A pose has 104
// bytes.
constexpr std::size_t kPosesMax = std::size_t{1} << 18;

// Returns the bot kinds named in a list with commas; an empty list if a name is unknown.
std::vector<client::BotKind> kinds_of(const std::string& names) {
  std::vector<client::BotKind> kinds;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const auto kind = client::bot_kind(std::string_view(names).substr(begin, end - begin));
    if (!kind) return {};
    kinds.push_back(*kind);
    begin = end + 1;
  }
  return kinds;
}

// Returns true if a bot of this kind needs several tokens even when no connection is lost.
bool needs_tokens(client::BotKind kind) {
  return kind == client::BotKind::visit || kind == client::BotKind::hostile;
}

// Compares the poses that the bots have shown with the log. If that is impossible, prints an error
// and returns the exit code for that error. Otherwise returns 0.
int compare(const std::vector<Seat>& crowd, const std::string& log, client::ShownReport& report) {
  std::vector<client::Shown> shown;
  for (const Seat& seat : crowd) {
    const auto more = seat.bot->shown();
    shown.insert(shown.end(), more.begin(), more.end());
  }
  auto playback = session::Playback::open(session::open_log(host::segments_of(log)));
  if (!playback) return unusable(playback.error().in(log).text());
  SerialExecutor executor;
  auto found = client::compare_shown(std::move(shown), *playback.value(), executor);
  if (!found) return unusable(printable(log) + ": " + found.error().text(), 1);
  report = std::move(found.value());
  return 0;
}

// Returns why the run failed, in one line; empty if it did not.
std::string verdict(const std::vector<Seat>& crowd, const Totals& totals, const Options& options,
                    const client::Access& tokens) {
  for (const Seat& seat : crowd) {
    const client::BotReport report = seat.bot->report();
    if (report.problems == 0) continue;
    if (!report.flight) return report.first_problem;
    return report.first_problem + "; " + host::save_and_describe(*report.flight);
  }
  for (const Seat& seat : crowd) {
    const client::BotReport report = seat.bot->report();
    if (!report.connected) {
      return "a client did not connect: " + describe_end(report.attempt, *seat.sockets, tokens);
    }
    const bool compares = options.follow && seat.kind != client::BotKind::hostile;
    if (compares && report.hash_checks == 0) {
      return "a client received no tick to compare; give a longer --seconds";
    }
  }
  if (totals.shown.wrong > 0) return totals.shown.first_wrong;
  if (!options.log.empty() && totals.shown.compared == 0) {
    return "no client showed a state that " + printable(options.log) + " has";
  }
  return {};
}

int run(const Options& options, const CrowdOptions& settings, const client::Access& tokens) {
  auto crowd = make_crowd(settings, tokens);
  if (!crowd) return unusable(crowd.error().text());
  const Stopwatch watch;
  play(crowd.value(), options.seconds);
  Totals totals = add_up(crowd.value());
  totals.seconds = watch.seconds();
  totals.cpu_seconds = watch.cpu_seconds();
  int exit_code = 0;
  if (!options.log.empty()) exit_code = compare(crowd.value(), options.log, totals.shown);
  print(totals, options.json);
  if (totals.sum.only_watches) {
    std::fprintf(
        stderr,
        "orrery: bot: the role of the token is watch, so the server ignores all commands\n");
  }
  if (exit_code != 0) return exit_code;
  const std::string problem = verdict(crowd.value(), totals, options, tokens);
  return problem.empty() ? 0 : unusable("bot: " + problem, 1);
}

int bot(const Options& options) {
  CrowdOptions settings{.count = options.count, .kinds = kinds_of(options.behaviours), .bot = {}};
  settings.bot.seed = options.seed;
  settings.bot.follow = options.follow;
  // Mode delta rounds poses, but the comparison with the log is exact, so it needs plain snapshots.
  settings.bot.plain = options.plain || !options.log.empty();
  if (!options.log.empty()) settings.bot.shown_max = std::max(kPosesMax / options.count, 1ul);
  if (!options.fault.empty()) {
    const auto parsed = session::parse_fault(options.fault);
    if (!parsed) return unusable("--break " + parsed.error().text());
    settings.bot.fault = parsed.value();
  }
  const auto server = host::ServerName::find(options.server);
  if (!server) return unusable(server.error().text());
  host::forbid_core_dumps();
  const auto tokens = client::Access::open(options.access, server.value());
  if (!tokens && options.access.is_local() && net::is_loopback(server.value().first())) {
    Totals none;
    none.clients = options.count;
    print(none, options.json);
    return unusable("bot: " + tokens.error().text(), 1);
  }
  if (!tokens) return unusable(tokens.error().text());
  if (!options.log.empty()) {
    const auto log = open_log(options.log);
    if (!log) return unusable("--check " + log.error().text());
  }
  if (tokens.value().has_one_only() && options.count > 1) {
    return unusable("--token: admits one client; give --count 1, or --key-file for more clients");
  }
  const bool has_visitors = std::any_of(settings.kinds.begin(), settings.kinds.end(), needs_tokens);
  if (tokens.value().has_one_only() && has_visitors) {
    return unusable("--token: admits one client, once; visit and hostile need --key-file");
  }
  return run(options, settings, tokens.value());
}

void add_play(Verb& verb, Options& options) {
  verb.option("--count", options.count, "Number of clients")
      .shows_default()
      .whole_number(1, limits::kClientsMax)
      .type("N");
  verb.option("--seconds", options.seconds, "Time to play, in seconds")
      .shows_default()
      .whole_number(1, kSecondsMax)
      .type("S");
  verb.option("--seed", options.seed, "Seed of the clients' random choices")
      .shows_default()
      .any_number()
      .type("N");
  verb.option("--behaviour", options.behaviours,
              "How the clients play: one of these, or several separated by commas. The first "
              "client takes the first one, the next client the next one. After the last one, the "
              "first follows again\n"
              "mixed    grab, throw, push, spin, spawn and remove\n"
              "idle     give no commands\n"
              "wander   push one body from place to place\n"
              "throw    grab bodies, swing them about, throw them\n"
              "push     give impulses to bodies\n"
              "visit    push, leave after seconds, join again\n"
              "hostile  attack with invalid messages and floods\n")
      .shows_default()
      .check([](const std::string& names) {
        return kinds_of(names).empty() ? printable(names) +
                                             " is no list of mixed, idle, wander, throw, push, "
                                             "visit and hostile, separated by commas"
                                       : "";
      })
      .type("LIST");
}

}  // namespace

void add_bot(Verb& program) {
  auto [verb, options] = program.add_verb(
      "bot", "Connect test clients that play, and check the data that they receive",
      "  orrery bot 127.0.0.1:4770\n"
      "  orrery bot 127.0.0.1:4770 --count 8 --seconds 60 --json\n"
      "  orrery bot 127.0.0.1:4770 --count 7 --behaviour throw,visit,hostile\n"
      "  orrery bot 127.0.0.1:4770 --follow --check session.orrery",
      bot);
  add_server(verb, options.server);
  add_play(verb, options);
  verb.option("--check", options.log,
              "At the end, compare the poses that the clients showed with the log of the server, "
              "which may still write it. Clients that do not follow then receive plain snapshots, "
              "which are exact")
      .given()
      .type("LOG");
  const Option follow =
      verb.flag("--follow", options.follow,
                "Step the world in each client instead of receiving snapshots, and compare each "
                "state hash with the server's");
  verb.flag("--plain", options.plain,
            "Receive each snapshot as a whole instead of as a difference to an earlier one")
      .excludes(follow);
  verb.option("--break", options.fault,
              "Break the worlds of the clients on purpose, to see the comparison fail. FAULT "
              "is as in `orrery run --break`")
      .needs(follow)
      .type("FAULT");
  add_access(verb, options.access);
  add_json(verb, options.json);
}

}  // namespace orrery::cli
