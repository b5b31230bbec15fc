// A test client that plays as people do, and checks all that it receives and shows.
#include "client/cli/bots/playing_bot.h"

#include <utility>

namespace orrery::client {
namespace {

// Longest stay of a visitor, and longest absence, in milliseconds. Both are random.
constexpr std::uint32_t kStayMax = 4000;
constexpr std::uint32_t kAwayMax = 1000;

// A crash may lose the last ticks of the log, so their states may differ after a resume. The log is
// written at most 100 ms after a tick. The rest of this time is margin for a slow disk.
constexpr double kUncertainSeconds = 5;

ClientOptions client_options(const BotOptions& options) {
  ClientOptions client;
  client.follow = options.follow;
  client.plain = options.plain;
  client.fault = options.fault;
  return client;
}

// Returns the ids, positions and ticks of the bodies of a followed world.
Snapshot snapshot_of(const World& world) {
  Snapshot snapshot;
  snapshot.tick = world.tick();
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (!world.bodies().alive(slot)) continue;
    codec::BodyState& body = snapshot.bodies.emplace_back();
    body.id = body_id(world, slot);
    body.tick = world.tick();
    body.position = world.bodies().position(slot);
  }
  return snapshot;
}

// Returns a source whose copies share one state. Each copy then knows which tokens the others gave.
TokenSource shared(TokenSource tokens) {
  return [tokens = std::make_shared<const TokenSource>(std::move(tokens))] { return (*tokens)(); };
}

}  // namespace

PlayingBot::PlayingBot(ClientEnvironment environment, TokenSource tokens, const BotOptions& options,
                       net::Nanoseconds now)
    : options_(options),
      tokens_(shared(std::move(tokens))),
      client_(std::move(environment), client_options(options)),
      random_(options.seed),
      behaviour_(make_behaviour(options.kind)),
      frames_(options.seed, options.shown_max) {
  client_.connect(tokens_, now);
}

void PlayingBot::note(const std::optional<std::string>& problem) {
  if (problem && found_.problems++ == 0) found_.first_problem = *problem;
}

PlayingBot::Counts PlayingBot::counts_of(const Connection* connection) {
  if (!connection) return {};
  const SnapshotCounters& snapshots = connection->snapshots().counters();
  return {.complete = snapshots.complete,
          .selected = snapshots.selected,
          .incomplete = snapshots.abandoned,
          .acknowledged = connection->commands().acknowledged().value,
          .invalid = connection->counters().malformed + snapshots.unsound};
}

void PlayingBot::add(const Counts& from, Counts& to) {
  to.complete += from.complete;
  to.selected += from.selected;
  to.incomplete += from.incomplete;
  to.acknowledged += from.acknowledged;
  to.invalid += from.invalid;
}

void PlayingBot::receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
                         std::uint32_t route) {
  const Snapshot* const snapshot = client_.receive(from, datagram, now, route);
  if (client_.phase() == ClientPhase::connected) notice(snapshot, now);
}

// Takes the state that the client has received, if there is one.
void PlayingBot::notice(const Snapshot* snapshot, net::Nanoseconds now) {
  if (!joined_) notice_join(now);
  const Counts before = std::exchange(seen_, counts_of(client_.connection()));
  if (seen_.invalid > 0 && before.invalid == 0) note("the server sent invalid messages");
  if (options_.follow) return notice_world(now);
  if (!snapshot) return;
  if (snapshot->tick > states_.newest()) return take(*snapshot, now);
  frames_.add(*snapshot);
  ++found_.late;
}

void PlayingBot::notice_join(net::Nanoseconds now) {
  joined_ = true;
  states_.begin_connection(client_.welcome(), now);
  next_visit_ = now + random_.below(kStayMax) * net::kMillisecond;
  found_.connected = true;
  found_.only_watches = client_.welcome().role == Role::watch;
  found_.reconnects += std::exchange(was_lost_, false);
  if (std::exchange(epoch_, client_.welcome().epoch) == client_.welcome().epoch) return;
  resumes_ = true;
  states_.begin_epoch();
}

void PlayingBot::notice_world(net::Nanoseconds now) {
  const auto mismatch = client_.stats().mismatch;
  if (mismatch && std::exchange(found_.hash_failures, 1) == 0) {
    note("the world here differs from the server's, " + to_line(*mismatch));
  }
  const World* const world = client_.world();
  if (!world) {
    states_.hear(now);  // waiting for the first state is no silence: it may take any time
  } else if (world->tick() > states_.newest()) {
    take(snapshot_of(*world), now);
  }
}

void PlayingBot::take(const Snapshot& state, net::Nanoseconds now) {
  if (std::exchange(resumes_, false)) {
    frames_.begin_epoch(kUncertainSeconds * client_.welcome().tick_rate);
  }
  note(states_.add(state, now));
  frames_.add(state);
  if (finishing_ || state.bodies.empty()) return;
  Turn turn{client_, state, random_, now};
  behaviour_->play(turn);
}

void PlayingBot::update(net::Nanoseconds now) {
  client_.update(now);
  // A server that says nothing may be paused. It owes no snapshots for this time.
  if (joined_ && client_.phase() == ClientPhase::reconnecting) states_.hear(now);
  if (joined_ && !client_.connection()) {
    joined_ = false;
    was_lost_ = true;
    add(std::exchange(seen_, {}), past_);
  }
  if (options_.kind == BotKind::visit && found_.connected && !finishing_) visit(now);
  if (found_.connected) show(now);
}

// Leaves, or connects again. Tries again if a connection was refused.
void PlayingBot::visit(net::Nanoseconds now) {
  if (now < next_visit_) return;
  if (joined_) {
    client_.disconnect(now);
    joined_ = false;
    add(std::exchange(seen_, {}), past_);
  } else if (client_.phase() == ClientPhase::ended) {
    client_.connect(tokens_, now);
  }
  next_visit_ = now + random_.below(kAwayMax) * net::kMillisecond;
}

// Shows a frame for each tick, in one of the ways in which clients draw.
void PlayingBot::show(net::Nanoseconds now) {
  if (now < next_frame_) return;
  next_frame_ = now + net::kSecond / client_.welcome().tick_rate;
  const FrameMode smooth = options_.seed % 2 == 0 ? FrameMode::interpolate : FrameMode::verlet;
  const Frame frame = client_.frame(now, options_.follow ? FrameMode::follow : smooth);
  note(frames_.check(frame));
}

void PlayingBot::stop(net::Nanoseconds now) {
  const bool is_there = client_.phase() == ClientPhase::connected;
  if (found_.connected && !is_there && !client_.problem().empty()) {
    note("lost the connection: " + client_.problem());
  }
  if (joined_) note(states_.silence(now));
  const Connection* const connection = client_.connection();
  if (joined_ && seen_.acknowledged < connection->counters().commands) {
    note("the server acknowledged " + std::to_string(seen_.acknowledged) + " of " +
         std::to_string(connection->counters().commands) + " commands");
  }
  add(std::exchange(seen_, {}), past_);
  found_.attempt = client_.attempt();
  client_.disconnect(now);
  joined_ = false;
}

BotReport PlayingBot::report() const {
  BotReport report = found_;
  Counts counts = past_;
  add(seen_, counts);
  report.snapshots = counts.complete + counts.selected;
  report.selected = counts.selected;
  report.incomplete = counts.incomplete;
  report.acknowledged = counts.acknowledged;
  const ClientStats stats = client_.stats();
  report.flight = stats.flight;
  report.commands = stats.commands;
  report.refused = stats.refused;
  report.bytes_received = stats.bytes_received;
  report.narrowed = stats.narrowed ? 1 : 0;
  report.round_trip_seconds = stats.round_trip;
  report.loss = stats.loss;
  report.hash_checks = stats.ticks_checked;
  report.connections = stats.connections;
  report.frames = frames_.frames();
  return report;
}

}  // namespace orrery::client
