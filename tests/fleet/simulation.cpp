// Runs one simulation: a time with faults, then a calm in which all clients must converge.
#include "tests/fleet/simulation.h"

#include <algorithm>
#include <deque>

#include "common/host/net/sodium_cipher.h"
#include "tests/fleet/checks/invariants.h"
#include "tests/fleet/players/hostile.h"
#include "tests/fleet/players/impostor.h"
#include "tests/fleet/players/player.h"
#include "tests/fleet/players/regular.h"
#include "tests/fleet/players/strangers.h"
#include "tests/fleet/server_process.h"
#include "tests/fleet/setting.h"
#include "tests/fleet/trouble.h"
#include "tests/support/open_cipher.h"

namespace orrery::fleet {
namespace {

class Simulation final : NetworkWatch {
 public:
  explicit Simulation(const RunOptions& options);
  ~Simulation() override { stop_server(); }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  RunResult run();

 private:
  void server_sends(const net::Address& to, Bytes datagram) override;
  void server_receives(const net::Datagram& datagram) override;
  void server_has_heard_all() override { invariants_.server_has_heard_all(); }
  void client_sends(const net::Address& from, Bytes datagram) override {
    impostor_.hear(from, datagram);
  }

  void start_server();
  void resume_server();
  void begin(World world, const codec::LogHeader& header);
  void stop_server();
  void run_until(net::Nanoseconds end, bool troubled);
  void deliver_to_clients();
  void serve();
  void trouble();
  void crash();
  void calm();
  void check_calm(bool for_all);
  void come_and_go();
  void end();
  void add_counts();
  void fold(std::uint64_t value) { trace_ = mix64(trace_ ^ value); }

  const RunOptions options_;
  const Climate climate_;
  EventCounts counts_{};
  const std::int64_t held_before_ = held_by_server();
  const net::Nanoseconds start_ = 10 * net::kSecond;
  const net::Nanoseconds heal_;  // end of the faults
  host::SodiumCipher sodium_;
  test::OpenCipher open_;
  UsedNonces nonces_;
  WatchedCipher cipher_;
  Network network_;
  Trouble trouble_;
  Invariants invariants_;
  net::Access access_;
  Issuer issuer_;
  Issuer strangers_issuer_;
  Strangers strangers_;
  Impostor impostor_;
  ServerMachine server_machine_;
  Disk disk_;
  CountedThreads executor_;
  server::OperatorLog operator_log_;
  std::optional<ServerProcess> process_;
  std::optional<Prediction> prediction_;  // of the newcomer
  std::deque<Player> players_;
  std::deque<Regular> regulars_;
  std::deque<Hostile> hostiles_;
  std::uint64_t steps_ = 0;
  net::Nanoseconds down_until_ = 0;  // time of the restart after a crash
  Tick durable_;                     // last tick that the restart must recover
  std::uint64_t trace_ = 0;
  std::uint64_t world_trace_ = 0;
};

Simulation::Simulation(const RunOptions& options)
    : options_(options),
      climate_(stream(options.seed, kOfClimate), options.all_faults),
      heal_(start_ + options.seconds * net::kSecond),
      cipher_(options.sealed ? static_cast<const net::Cipher&>(sodium_) : open_, nonces_),
      network_(address_of(kOwnNetwork, 4770), *this),
      trouble_(climate_, network_, counts_, stream(options.seed, kOfTrouble)),
      invariants_(network_, nonces_),
      access_(access_of(network_, climate_, stream(options.seed, kOfTokens))),
      issuer_(network_, cipher_, access_, stream(options.seed, kOfTokens)),
      strangers_issuer_(network_, cipher_, access_, stream(options.seed, kOfStrangersTokens)),
      strangers_(network_, strangers_issuer_, stream(options.seed, kOfStrangers)),
      impostor_(network_, stream(options.seed, kOfImpostor)),
      server_machine_(network_, cipher_, stream(options.seed, kOfServer)),
      disk_(stream(options.seed, kOfDisk)),
      executor_(options.threads) {
  start_server();
  for (std::uint32_t i = 1; i <= kPlayers; ++i) {
    players_.emplace_back(network_, cipher_, issuer_, invariants_,
                          stream(options.seed, kOfPlayers + i), i,
                          network_.now + trouble_.up_to(1));
    players_.back().machine().set_faults(climate_.path);
  }
  for (const Habit habit : {Habit::stays, Habit::roams, Habit::travels}) {
    const auto i = static_cast<std::uint32_t>(regulars_.size());
    regulars_.emplace_back(network_, cipher_, issuer_, invariants_, trouble_.pace(),
                           stream(options.seed, kOfRegulars + i), kFirstRegular + i, habit,
                           climate_.narrow);
  }
  if (!climate_.hostile) return;
  // Packets of hostile clients may repeat nonces, so their cipher is not watched.
  const net::Cipher& unwatched = options.sealed ? static_cast<const net::Cipher&>(sodium_) : open_;
  for (std::uint32_t i = 0; i < kHostiles; ++i) {
    hostiles_.emplace_back(network_, unwatched, issuer_, invariants_,
                           stream(options.seed, kOfHostiles + i), kFirstHostile + i);
  }
}

void Simulation::server_sends(const net::Address& to, Bytes datagram) {
  fold(checksum(to.ip, to.port));
  fold(checksum(datagram));
  invariants_.server_sends(to, datagram);
}

void Simulation::server_receives(const net::Datagram& datagram) {
  fold(checksum(datagram.from.ip, datagram.from.port));
  fold(checksum(datagram.bytes));
  invariants_.server_receives(datagram);
  strangers_.hear(datagram);
}

void Simulation::start_server() {
  World world(scene_of(options_));
  const codec::LogHeader header = session::make_log_header(world, "fleet", codec::SessionId{1});
  begin(std::move(world), header);
  disk_.write();
}

// Restarts the server from its log with the same key. It must reject tokens from before the start.
void Simulation::resume_server() {
  Result<session::Recovered> recovered = disk_.recover();
  if (!recovered) return invariants_.fail("the log replays", recovered.error().text());
  invariants_.what_was_durable_is_there(durable_, recovered.value().world);
  begin(std::move(recovered.value().world), recovered.value().header);
  for (Hostile& hostile : hostiles_) hostile.try_used_token();
}

void Simulation::begin(World world, const codec::LogHeader& header) {
  disk_.open();
  const CountsAsServer of_the_server;
  process_.emplace(ServerSurroundings{network_, server_machine_, disk_, executor_, operator_log_},
                   options_, std::move(world), header, access_);
  invariants_.watch(process_->server, process_->world);
}

void Simulation::stop_server() {
  const CountsAsServer of_the_server;
  process_.reset();
}

RunResult Simulation::run() {
  run_until(heal_, true);
  calm();
  run_until(heal_ + kCalmSeconds * net::kSecond / 2, false);
  for (Player& player : players_) player.finish();
  for (Regular& regular : regulars_) regular.finish();
  run_until(heal_ + kCalmSeconds * net::kSecond, false);
  check_calm(false);
  run_until(heal_ + kLongCalmSeconds * net::kSecond, false);
  check_calm(true);
  if (process_) {
    for (Regular& regular : regulars_) regular.check_calm(process_->world.scene());
  }
  for (Player& player : players_) player.go();
  for (Regular& regular : regulars_) regular.go();
  run_until(heal_ + (kLongCalmSeconds + kGoodbyeSeconds) * net::kSecond, false);
  come_and_go();
  end();
  add_counts();
  return {.violation = invariants_.violation(),
          .tick = process_ ? process_->world.tick().value : 0,
          .seconds = static_cast<double>(network_.now - start_) / net::kSecond,
          .trace = trace_,
          .world_trace = world_trace_,
          .counts = counts_};
}

// Runs to `end`, or to the first violation.
void Simulation::run_until(net::Nanoseconds end, bool troubled) {
  while (!invariants_.violation()) {
    const net::Nanoseconds now = start_ + (steps_ + 1) * net::kSecond / kStepsPerSecond;
    if (now > end) return;
    ++steps_;
    network_.now = now;
    if (!process_ || !server_machine_.is_clock_right()) trouble_.pace().refuse(now);
    if (troubled && steps_ % (kStepsPerSecond / Trouble::kCallsPerSecond) == 0) trouble();
    deliver_to_clients();
    for (Player& player : players_) player.update();
    for (Regular& regular : regulars_) regular.update();
    serve();
  }
}

void Simulation::deliver_to_clients() {
  while (const net::Datagram* const datagram = network_.clients_take()) {
    for (Player& player : players_) {
      if (player.address() != datagram->to) continue;
      if (player.receive(*datagram)) strangers_.hear_at_client(*datagram);
    }
    for (Hostile& hostile : hostiles_) {
      if (hostile.listens_at(datagram->to)) hostile.receive(*datagram);
    }
    for (Regular& regular : regulars_) regular.receive(*datagram);
  }
}

// Runs the server, as the event loop of orreryd does when its timer fires.
void Simulation::serve() {
  if (!process_) {
    network_.lose_to_server();
    if (network_.now >= down_until_) resume_server();
    return;
  }
  if (trouble_.pace().is_busy(network_.now)) return;
  std::uint32_t& due = process_->due;
  if (due == 0) {
    due = process_->pacer.due(network_.now);
    invariants_.few_ticks_are_caught_up(due);
  }
  const World& world = process_->world;
  if (due == 0) {
    {
      const CountsAsServer of_the_server;
      process_->server.poll(network_.now);
    }
    const Tick next{world.tick().value + 1};
    for (Regular& regular : regulars_) regular.check_waits(process_->server, next);
  }
  for (; due > 0 && !trouble_.pace().is_busy(network_.now); --due) {
    {
      const CountsAsServer of_the_server;
      process_->server.tick(network_.now);
    }
    trouble_.pace().ticked(network_.now, world.scene().tick_rate);
    for (Regular& regular : regulars_) regular.check_waits(process_->server, world.tick());
    if (world.tick().value % kTicksPerWrite == 0) disk_.write();
    invariants_.check_tick();
    if (prediction_) invariants_.predictions_are_close(*prediction_);
    count_tick(counts_, world);
    fold(world.hash());
    const auto held = static_cast<std::uint64_t>(held_by_server() - held_before_);
    world_trace_ = mix64(mix64(world_trace_ ^ world.hash()) + held);
  }
}

void Simulation::trouble() {
  for (Player& player : players_) trouble_.disturb(player);
  for (Regular& regular : regulars_) trouble_.disturb(regular, heal_);
  for (Hostile& hostile : hostiles_) hostile.update();
  if (climate_.hostile) impostor_.act();
  if (climate_.strangers && options_.strangers) strangers_.act();
  if (trouble_.happens(climate_.lulls)) {
    count(counts_, Event::lull);
    const net::Nanoseconds end = network_.now + trouble_.up_to(10);
    for (Player& player : players_) player.rest_until(end);
  }
  trouble_.disturb_pace();
  trouble_.disturb_clock(server_machine_, process_.has_value());
  if (trouble_.happens(climate_.crashes) && network_.now + kCrashFree < heal_) crash();
}

// Crashes the server, if it runs. The next one knows the newest token that was accepted.
void Simulation::crash() {
  if (!process_) return;
  count(counts_, Event::crash);
  access_.newest_token = process_->server.endpoint().gate().newest_token();
  trouble_.disturb_start(server_machine_);
  durable_ = disk_.crash();
  stop_server();
  down_until_ = network_.now + trouble_.up_to(4);
}

// Ends all faults. Two more clients join.
void Simulation::calm() {
  if (!process_) resume_server();
  if (invariants_.violation()) return;
  trouble_.pace().recover(network_.now);
  server_machine_.set_clock(0);
  impostor_.go();
  for (Hostile& hostile : hostiles_) hostile.go();
  for (const std::uint32_t number : {kBreaker, kNewcomer}) {
    players_.emplace_back(network_, cipher_, issuer_, invariants_,
                          stream(options_.seed, kOfPlayers + number), number,
                          network_.now + net::kSecond / 2);
    if (number == kBreaker) players_.back().break_world(fault_to_come(process_->world));
  }
  prediction_.emplace(process_->world);
  players_.back().predict_with(*prediction_);
  for (Player& player : players_) {
    player.machine().set_faults({.delay = kCalmDelay});
    player.machine().up().clog(0);
    player.machine().down().clog(0);
    player.pause_until(0);
    player.rush_until(0);
  }
}

// Checks that the clients have converged. Without `for_all`, checks only clients that have been
// connected on both sides for at least a second: the others may not know of a loss yet.
void Simulation::check_calm(bool for_all) {
  if (invariants_.violation()) return;
  for (Player& player : players_) {
    const auto& connection = player.connection();
    const bool connected = connection && connection->connected();
    if (for_all && !connected) {
      return invariants_.fail("clients converge", "a client does not connect again");
    }
    if (!connected || player.breaks()) continue;
    const bool settled = process_->server.endpoint().peers().contains(player.address()) &&
                         network_.now - player.connected_at() >= net::kSecond;
    // On a slow path, the image of a large world takes longer to arrive than the calm lasts.
    const bool waits_for_image = options_.large && player.newest().value == 0;
    if (!for_all && (!settled || waits_for_image)) continue;
    invariants_.clients_converge(player.newest(), connection->commands().acknowledged(),
                                 player.session(), kTrip);
    if (for_all) {
      invariants_.events_have_come(player.session(), kTrip);
      invariants_.note(check_all_applied(player.session(), connection->commands().acknowledged(),
                                         process_->world.scene()));
    }
    // In a large world, a slow path may not have carried all bodies yet.
    const bool told_of_all = player.shown() && (for_all || !options_.large);
    if (told_of_all) invariants_.nothing_gone_is_shown(*player.shown());
  }
  const auto& newcomer = players_.back().connection();
  if (!newcomer || !newcomer->connected() || !newcomer->snapshots().newest()) {
    invariants_.fail("newcomers connect", "a new client did not connect although nothing was lost");
  }
}

// Lets clients connect and leave several times, and checks that some visit leaves no memory
// allocated. The first may leave some, and one in which a body gets more contacts than before.
// Followers and clients with events do not take part: the data kept for them grows in each tick.
void Simulation::come_and_go() {
  std::int64_t least_left = 0;
  for (int i = 0; i < kVisits && !invariants_.violation(); ++i) {
    const std::int64_t held = held_by_server();
    for (Player& player : players_) {
      if (player.only_looks()) player.come_back();
    }
    run_until(network_.now + kVisit, false);
    for (Player& player : players_) player.go();
    run_until(network_.now + kBetweenVisits, false);
    const std::int64_t left = held_by_server() - held;
    least_left = i == 0 ? left : std::min(left, least_left);
  }
  if (!invariants_.violation()) invariants_.visits_leave_nothing(least_left);
}

// Checks the end of a run: all clients are gone and, if the options ask for it, the log replays.
void Simulation::end() {
  if (invariants_.violation()) return;
  invariants_.mismatches_are_told();
  invariants_.slots_come_back();
  process_->log.close();
  disk_.write();
  fold(disk_.digest());
  world_trace_ = mix64(world_trace_ ^ disk_.digest());
  if (options_.replays) invariants_.log_replays(disk_.segments());
}

void Simulation::add_counts() {
  for (Player& player : players_) {
    count_datagrams(counts_, player.machine().up().counters());
    count_datagrams(counts_, player.machine().down().counters());
  }
  count(counts_, Event::strange_datagram, strangers_.sent());
  count(counts_, Event::hostile_client, hostiles_.size());
  count(counts_, Event::request_of_impostor, impostor_.requests());
  count(counts_, Event::snapshot, invariants_.snapshots());
  count(counts_, Event::state_followed, invariants_.states_followed());
  count(counts_, Event::undone_tick, invariants_.ticks_undone());
  if (prediction_) count(counts_, Event::prediction, prediction_->compared());
  count(counts_, Event::shared_work, executor_.shared());
  for (Regular& regular : regulars_) count(counts_, Event::frame, regular.frames());
}

}  // namespace

RunResult run(const RunOptions& options) { return Simulation(options).run(); }

}  // namespace orrery::fleet
