// Simulates an honest program that plays through a client with clocks, and comes back.
#include "tests/fleet/players/regular.h"

#include <algorithm>
#include <string>

#include "tests/fleet/checks/end_reasons.h"

namespace orrery::fleet {
namespace {

constexpr net::Nanoseconds kDelay = 20 * net::kMillisecond;
constexpr std::size_t kNarrowBytes = 1100;  // requests have 1,078
constexpr double kPush = 0.01;              // N s, most in each component

// Longest time until the first state after a change of the network, and after everything else that
// may end a connection. A client that has failed to connect waits for up to 4 s.
constexpr net::Nanoseconds kReturnFromMove = 2 * net::kSecond;
constexpr net::Nanoseconds kReturn = 5 * net::kSecond;
// Least time between two disturbances: the first ticket has then arrived.
constexpr net::Nanoseconds kUndisturbed = 3 * net::kSecond;

}  // namespace

Regular::Regular(Network& network, const net::Cipher& cipher, Issuer& issuer,
                 Invariants& invariants, const ServerPace& pace, std::uint64_t seed,
                 std::uint32_t number, Habit habit, bool narrow)
    : network_(network),
      issuer_(issuer),
      invariants_(invariants),
      pace_(pace),
      random_(seed),
      number_(number),
      habit_(habit),
      path_{.delay = kDelay, .bytes_max = narrow && habit == Habit::stays ? kNarrowBytes : 0},
      machine_(network, cipher, mix64(seed), number),
      client_({.cipher = &cipher,
               .random = [this] { return machine_.random(); },
               .unix_seconds = [this] { return machine_.unix_seconds(); }}),
      disturbed_(network.now) {
  machine_.set_faults(path_);
}

// The back end of a traveller gives no token while its ticket is valid.
Result<client::TokenOffer> Regular::offer() {
  const bool has_ticket = connected_at_ != 0 && pace_.refused() < connected_at_;
  if (habit_ == Habit::travels && has_ticket) return client::TokenOffer{};
  return client::TokenOffer{issuer_.issue(number_, Role::play)};
}

void Regular::receive(const net::Datagram& datagram) {
  const auto route = machine_.route_of(datagram.to);
  if (!route) return;
  const auto state = [this] {
    const client::Connection* const connection = client_.connection();
    return connection ? connection->endpoint().state() : net::ClientState::ended;
  };
  const net::ClientState before = state();
  const bool shows =
      client_.receive(datagram.from, datagram.bytes, network_.now, *route) != nullptr;
  invariants_.heard(datagram, before, state());
  const bool connected = client_.phase() == client::ClientPhase::connected;
  if (connected && client_.stats().connections != sessions_.size()) {
    sessions_.emplace_back();
    sessions_.back().client = client_.welcome().client;
    connected_at_ = network_.now;
    shown_.since = 0;
    invariants_.connected(sessions_.back());
    waits_.restart();
  }
  if (!shows) return;
  invariants_.shown(datagram.to);
  state_at_ = network_.now;
  if (shown_.since == 0) shown_.since = network_.now;
}

void Regular::play() {
  if (finishing_ || sessions_.empty() || network_.now < play_at_) return;
  play_at_ = network_.now + net::kSecond / client_.welcome().tick_rate;
  const BodyId body{random_.below(client_.welcome().scene_bodies)};
  const double push = kPush * random_.symmetric();
  const CommandPayload payload = command::Impulse{body, narrow({push, 0, 0})};
  if (client_.command(payload, network_.now)) {
    sessions_.back().given.push_back({payload, network_.now});
  }
}

void Regular::update() {
  if (!gone_) run();
  while (const auto datagram = client_.poll_send()) {
    machine_.use_route(datagram->route);
    machine_.send(datagram->to, datagram->bytes);
  }
}

void Regular::run() {
  const net::Nanoseconds now = network_.now;
  using client::ClientPhase;
  if (client_.phase() == ClientPhase::idle || client_.phase() == ClientPhase::ended) {
    client_.connect([this] { return offer(); }, now);
  }
  play();
  if (habit_ == Habit::travels && now >= disturbed_) machine_.set_faults(path_);
  client_.update(now);
  if (client_.phase() == ClientPhase::ended) {
    invariants_.connections_end_for_a_reason(client_.attempt().reason);
  }
  show();
  check_return();
}

void Regular::show() {
  const client::Frame frame = client_.frame(network_.now);
  if (frame.poses->empty()) return;
  ++shown_.frames;
  // After a restart of the server, ticks may begin again. The old bodies stay until then.
  const std::uint64_t epoch = client_.welcome().epoch;
  if (shown_.frames == 1) shown_.epoch = epoch;
  if (frame.tick < shown_.tick && shown_.epoch == epoch) {
    invariants_.fail(
        "pictures do not go back",
        "tick " + std::to_string(frame.tick) + " is shown after " + std::to_string(shown_.tick));
  }
  if (frame.tick < shown_.tick) shown_.epoch = epoch;
  shown_.tick = frame.tick;
}

bool Regular::disturb(net::Nanoseconds end) {
  const net::Nanoseconds quiet_since = std::max({disturbed_, pace_.settled(), connected_at_});
  const bool connected = client_.phase() == client::ClientPhase::connected;
  if (!connected || network_.now < quiet_since + kUndisturbed) return false;
  if (habit_ == Habit::roams) {
    disturbed_ = network_.now;
    moved_ = true;
    machine_.move();
  } else {
    ORRERY_ASSERT(habit_ == Habit::travels);
    disturbed_ = end;
    machine_.set_faults({.loss = 1});
  }
  return true;
}

// Checks that states arrive, unless the server or the path was disturbed a short time ago. After a
// change of the network they must arrive in the same session.
void Regular::check_return() {
  const bool moved = moved_ && pace_.settled() < disturbed_;
  const net::Nanoseconds limit = moved ? kReturnFromMove : kReturn;
  if (network_.now > std::max({disturbed_, pace_.settled(), state_at_}) + limit) {
    return invariants_.fail("clients come back", "account " + std::to_string(number_) +
                                                     " got no state for " +
                                                     std::to_string(limit / net::kSecond) + " s");
  }
  if (moved && connected_at_ > disturbed_) {
    invariants_.fail("clients come back", "a change of the network has ended a session");
  }
}

void Regular::check_waits(const server::Server& server, Tick next) {
  if (shown_.since == 0 || client_.phase() != client::ClientPhase::connected) return;
  // The server may have ended this session, and given its id to another client.
  const auto client = server.endpoint().peers().find(std::uint64_t{number_});
  if (client != sessions_.back().client) return;
  const net::Nanoseconds back = disturbed_ + (moved_ ? kReturnFromMove : 0);
  // Without a state, the client does not know the pace of the server.
  const net::Nanoseconds settled = std::max(shown_.since, back);
  invariants_.note(waits_.check(server, sessions_.back(), next, settled, pace_.changed()));
}

void Regular::check_calm(const Scene& scene) {
  if (client_.phase() != client::ClientPhase::connected) {
    return invariants_.fail("clients converge", "a regular client is not connected");
  }
  if (!client_.scene()) invariants_.fail("clients converge", "a regular client has no scene");
  const Sequence acknowledged = client_.connection()->commands().acknowledged();
  invariants_.note(check_all_applied(sessions_.back(), acknowledged, scene));
}

}  // namespace orrery::fleet
