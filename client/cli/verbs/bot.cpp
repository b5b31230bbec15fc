// Implements `orrery bot`: runs test clients in one process and reports their checks.
#include "client/lib/bot.h"

#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/no_answer.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "client/udp/access.h"
#include "common/host/net/udp.h"
#include "common/host/process/clock.h"
#include "common/host/process/stop_signal.h"
#include "common/host/process/terminal.h"
#include "common/net/drain.h"
#include "common/net/packet/address_text.h"
#include "common/session/explain/fault.h"

namespace orrery::cli {
namespace {

struct BotOptions {
  std::string server;
  client::AccessOptions access;
  std::uint32_t count = 1;
  std::uint32_t seconds = 10;
  std::uint64_t seed = 1;
  bool follow = false;  // step the world in each client
  // fault in the clients' worlds, for tests (common/session/explain/fault.h); empty: none
  std::string fault;
  bool json = false;
};

constexpr int kPollMilliseconds = 4;

// Least time between the last command and the end, so that the server can acknowledge all commands.
// play() adds two round trips, but at most a quarter of the run.
constexpr net::Nanoseconds kFinishing = net::kSecond / 2;

// A bot and its own socket. The server sees an ordinary client.
struct Player {
  std::unique_ptr<host::UdpNetwork> network;
  std::unique_ptr<client::Bot> bot;
};

// The counts of all bots together.
struct Totals {
  std::uint64_t connected = 0;
  client::BotReport sum;
};

Result<std::vector<Player>> make_players(const BotOptions& options, const net::Address& server,
                                         const client::Access& tokens,
                                         const std::optional<session::Fault>& fault) {
  std::vector<Player> players;
  for (std::uint32_t i = 0; i < options.count; ++i) {
    auto network = host::UdpNetwork::towards(server);
    if (!network) return network.error();
    Player player;
    player.network = std::move(network.value());
    auto follower = options.follow ? std::make_unique<client::Follower>(fault) : nullptr;
    player.bot =
        std::make_unique<client::Bot>(*player.network, tokens.next(Role::play), options.seed + i,
                                      host::monotonic_now(), std::move(follower));
    players.push_back(std::move(player));
  }
  return players;
}

void play(std::vector<Player>& players, const BotOptions& options) {
  const host::StopSignal stop;
  host::ProgressBar progress("bots", options.seconds);
  std::vector<pollfd> descriptors;
  for (const Player& p : players) descriptors.push_back({p.network->descriptor(), POLLIN, 0});
  const net::Nanoseconds start = host::monotonic_now();
  const net::Nanoseconds end = start + options.seconds * net::kSecond;
  for (net::Nanoseconds now = start; now < end && !stop.asked(); now = host::monotonic_now()) {
    ::poll(descriptors.data(), descriptors.size(), kPollMilliseconds);
    for (std::size_t i = 0; i < players.size(); ++i) {
      client::Bot& bot = *players[i].bot;
      if (descriptors[i].revents != 0) {
        net::drain(*players[i].network, [&](const net::Address& from, Bytes datagram) {
          bot.receive(from, datagram, host::monotonic_now());
        });
      }
      const net::Nanoseconds trip = bot.connection().endpoint().path().round_trip();
      if (now + kFinishing + std::min(2 * trip, (end - start) / 4) >= end) bot.finish();
      bot.update(host::monotonic_now());
    }
    progress.show((now - start) / net::kSecond);
  }
  for (Player& p : players) p.bot->stop(host::monotonic_now());
}

Totals add_up(const std::vector<Player>& players) {
  Totals totals;
  for (const Player& p : players) {
    const client::BotReport report = p.bot->report();
    totals.connected += report.connected ? 1 : 0;
    totals.sum.snapshots += report.snapshots;
    totals.sum.selected += report.selected;
    totals.sum.incomplete += report.incomplete;
    totals.sum.late += report.late;
    totals.sum.commands += report.commands;
    totals.sum.acknowledged += report.acknowledged;
    totals.sum.bytes_received += report.bytes_received;
    totals.sum.round_trip_seconds += report.round_trip_seconds;
    totals.sum.loss += report.loss;
    totals.sum.hash_checks += report.hash_checks;
    totals.sum.hash_failures += report.hash_failures;
    totals.sum.problems += report.problems;
    if (totals.sum.first_problem.empty()) totals.sum.first_problem = report.first_problem;
  }
  return totals;
}

void print(const BotOptions& options, const Totals& totals, double seconds) {
  const client::BotReport& sum = totals.sum;
  const double client_seconds = seconds * options.count;
  const double bytes_rate =
      seconds > 0 ? static_cast<double>(sum.bytes_received) / client_seconds : 0;
  const double connected = std::max<double>(1, static_cast<double>(totals.connected));
  if (options.json) {
    json::Object object;
    object.add("clients", json::of(options.count))
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
        .add("bytes_received_per_client_second", json::of(bytes_rate))
        .add("round_trip_seconds", json::of(sum.round_trip_seconds / connected))
        .add("loss", json::of(sum.loss / connected))
        .add("seconds", json::of(seconds));
    std::printf("%s\n", object.text().c_str());
    return;
  }
  std::printf("%llu of %u clients connected; %llu snapshots, %llu incomplete, %llu late\n",
              static_cast<unsigned long long>(totals.connected), options.count,
              static_cast<unsigned long long>(sum.snapshots),
              static_cast<unsigned long long>(sum.incomplete),
              static_cast<unsigned long long>(sum.late));
  std::printf("%llu commands, %llu acknowledged; %.0f bytes/s per client; %llu problems\n",
              static_cast<unsigned long long>(sum.commands),
              static_cast<unsigned long long>(sum.acknowledged), bytes_rate,
              static_cast<unsigned long long>(sum.problems));
  if (!options.follow) return;
  std::printf("%llu states compared, %llu differ from the server's\n",
              static_cast<unsigned long long>(sum.hash_checks),
              static_cast<unsigned long long>(sum.hash_failures));
}

bool only_watch(const std::vector<Player>& players) {
  return std::any_of(players.begin(), players.end(), [](const Player& p) {
    return p.bot->report().connected &&
           p.bot->connection().endpoint().welcome().role == Role::watch;
  });
}

// Returns why the run failed, in one line; empty if it did not.
std::string verdict(const std::vector<Player>& players, const Totals& totals,
                    const client::Access& tokens, bool follow) {
  if (totals.sum.problems > 0) return totals.sum.first_problem;
  for (const Player& p : players) {
    if (p.bot->report().connected && p.bot->report().hash_checks == 0 && follow) {
      return "a client received no tick to compare; give a longer --seconds";
    }
    if (p.bot->report().connected) continue;
    return "a client did not connect: " + describe_end(p.bot->connection(), *p.network, tokens);
  }
  return {};
}

int bot(const BotOptions& options) {
  std::optional<session::Fault> fault;
  if (!options.fault.empty()) {
    const auto parsed = session::parse_fault(options.fault);
    if (!parsed) return unusable("--break " + parsed.error().message);
    fault = parsed.value();
  }
  const auto server = net::parse_destination(options.server);
  if (!server) return unusable(server.error().message);
  const auto tokens = client::Access::open(options.access, server.value());
  if (!tokens && options.access.is_local() && net::is_loopback(server.value())) {
    print(options, Totals{}, 0);
    std::fprintf(stderr, "orrery: bot: %s\n", tokens.error().message.c_str());
    return 1;
  }
  if (!tokens) return unusable(tokens.error().message);
  if (tokens.value().has_one_only() && options.count > 1) {
    return unusable("--token: admits one client; give --count 1, or --key-file for more clients");
  }
  auto players = make_players(options, server.value(), tokens.value(), fault);
  if (!players) return unusable(players.error().message);
  const net::Nanoseconds start = host::monotonic_now();
  play(players.value(), options);
  const double seconds = static_cast<double>(host::monotonic_now() - start) / net::kSecond;
  const Totals totals = add_up(players.value());
  print(options, totals, seconds);
  if (only_watch(players.value())) {
    std::fprintf(
        stderr,
        "orrery: bot: the role of the token is watch, so the server ignores all commands\n");
  }
  const std::string problem = verdict(players.value(), totals, tokens.value(), options.follow);
  if (problem.empty()) return 0;
  std::fprintf(stderr, "orrery: bot: %s\n", problem.c_str());
  return 1;
}

}  // namespace

void add_bot(Verb& program) {
  auto [verb, options] =
      program.add_verb("bot", "Connect test clients that play, and check what they receive",
                       "  orrery bot 127.0.0.1:4770\n"
                       "  orrery bot 127.0.0.1:4770 --count 8 --seconds 60 --json\n"
                       "  orrery bot 127.0.0.1:4770 --follow",
                       bot);
  add_server(verb, options.server);
  verb.option("--count", options.count, "Number of clients")
      .shows_default()
      .whole_number(1, limits::kClientsMax)
      .type("N");
  verb.option("--seconds", options.seconds, "Time to play, in seconds")
      .shows_default()
      .whole_number(1, kSecondsMax)
      .type("S");
  verb.option("--seed", options.seed, "Seed of the clients' random commands")
      .shows_default()
      .any_number()
      .type("N");
  const Option follow =
      verb.flag("--follow", options.follow,
                "Step the world in every client too, and compare each state hash with the "
                "server's");
  verb.option("--break", options.fault,
              "Break the worlds of the clients on purpose, to see the comparison fail. FAULT "
              "is as in `orrery run --break`")
      .needs(follow)
      .type("FAULT");
  add_access(verb, options.access);
  add_json(verb, options.json);
}

}  // namespace orrery::cli
