// A client of a server: connects, keeps clocks, sends commands, and gives the poses for each frame.
#include "client/lib/client.h"

#include <algorithm>
#include <utility>

namespace orrery::client {
namespace {

// Waits before the client tries to restore a lost connection. Each wait is twice as long as the one
// before, from kRetryFirst up to kRetryMax.
constexpr net::Nanoseconds kRetryFirst = net::kSecond / 4;
constexpr net::Nanoseconds kRetryMax = 4 * net::kSecond;

// Time for which a client tries its ticket before it asks for a token too.
constexpr net::Nanoseconds kTicketAlone = net::kSecond;

// A connection that lasted at least this long was steady. If a restored connection breaks earlier,
// it counts as a failed attempt: the waits keep growing, and the time limit for reconnecting still
// counts from the first loss.
constexpr net::Nanoseconds kSteady = 5 * net::kSecond;

double seconds(net::Nanoseconds time) { return static_cast<double>(time) / net::kSecond; }

// Returns true if a new connection may succeed after the last connection ended for this reason.
bool may_return(EndReason reason) {
  switch (reason) {
    case EndReason::no_answer:
    case EndReason::silent:
    case EndReason::full:
    case EndReason::token_expired:
    case EndReason::server_stopped:
    case EndReason::timed_out:
    case EndReason::too_slow:
    case EndReason::forgotten:
    case EndReason::refused_expired:
    case EndReason::refused_before_start:
    case EndReason::refused_used:
      return true;
    default:
      return false;
  }
}

}  // namespace

TokenSource single_token(const net::ConnectToken& token) {
  return [token, used = false]() mutable -> Result<TokenOffer> {
    if (std::exchange(used, true)) {
      return Error{"the token was used before, and admits one client, once"};
    }
    return TokenOffer{token};
  };
}

void Retry::note_loss(net::Nanoseconds now) {
  if (lost_at && now - joined_at < kSteady) return;
  lost_at = now;
  wait = kRetryFirst;
}

Client::Client(ClientEnvironment environment, const ClientOptions& options)
    : options_(options), queue_(std::move(environment)) {}

void Client::connect(TokenSource tokens, net::Nanoseconds now) {
  ORRERY_ASSERT(phase_ == ClientPhase::idle || phase_ == ClientPhase::ended);
  ORRERY_ASSERT(tokens);
  retry_.tokens = std::move(tokens);
  retry_.lost_at.reset();
  retry_.tickets.clear();
  retry_.resumes = false;
  retry_.set_problem({ConnectFailure::none, {}});
  retry_.at = 0;
  retry_.wait = kRetryFirst;
  phase_ = ClientPhase::connecting;
  open(playback_.calls.advance(now));
}

// Returns the token for the next attempt: the ticket, or a token of the source. While an attempt
// with the ticket is unanswered, returns a token of the source if it has one: the server may have a
// new key.
std::optional<net::ConnectToken> Client::next_token(net::Nanoseconds now) {
  const bool beside_ticket = connection_ != nullptr;
  const net::Ticket* const ticket = beside_ticket ? nullptr : retry_.tickets.next(now);
  if (ticket) {
    retry_.resumes = true;
    retry_.ask_at = now + kTicketAlone;
    return ticket->token;
  }
  const Result<TokenOffer> offer = retry_.tokens();
  if (beside_ticket) {
    if (!offer) return std::nullopt;  // the attempt with the ticket continues
    retry_.set_reason(offer.value().why_none);
    if (!offer.value().token) return std::nullopt;
    retry_.resumes = false;
    retry_.tickets.clear();  // servers prefer the newer token
    return offer.value().token;
  }
  retry_.set_reason(offer ? offer.value().why_none : offer.error().text());
  if (!offer) {
    phase_ = ClientPhase::ended;
    ConnectFailure& cause = retry_.problem.cause;  // if a connection ended, its own cause stays
    if (cause == ConnectFailure::none) cause = ConnectFailure::no_token;
    return std::nullopt;
  }
  if (offer.value().token) return offer.value().token;
  const bool waits =
      phase_ != ClientPhase::reconnecting || retry_.has_time(now, options_.reconnect);
  if (waits) return std::nullopt;
  phase_ = ClientPhase::ended;
  retry_.problem.text += "; no token for another connection came in time";
  return std::nullopt;
}

void Client::open(net::Nanoseconds now) {
  const std::optional<net::ConnectToken> token = next_token(now);
  if (!token) return;
  retry_.attempt = {.created = token->created,
                    .expires = token->head.expires,
                    .servers = token->servers,
                    .used_before = retry_.nonce == token->head.nonce};
  retry_.nonce = token->head.nonce;
  connection_.reset();  // before the follower, to which it refers
  playback_.arrivals.forget_rays();
  playback_.checked = 0;
  follower_ = options_.follow ? std::make_unique<Follower>(options_.fault) : nullptr;
  connection_ = std::make_unique<Connection>(queue_, *token, now, options_.events, follower_.get(),
                                             !options_.plain);
}

// Forgets the connection. The client keeps its counts, its scene, its frames and its world.
void Client::close() {
  stats_ = stats();
  retry_.silent = false;
  if (connection_ && connection_->scene()) playback_.scene = *connection_->scene();
  connection_.reset();
}

void Client::disconnect(net::Nanoseconds now) {
  now = playback_.calls.advance(now);
  if (connection_) connection_->disconnect(now);
  if (phase_ == ClientPhase::connected) retry_.lost_at = now;
  close();
  follower_.reset();
  retry_.tickets.clear();
  retry_.resumes = false;
  phase_ = ClientPhase::ended;
  retry_.set_problem({ConnectFailure::none, {}});
}

void Client::lose(net::Nanoseconds now) {
  if (phase_ != ClientPhase::connected && !retry_.silent) return;
  now = playback_.calls.advance(now);
  connection_->lose();
  notice_end(now);
}

const Snapshot* Client::receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
                                std::uint32_t route) {
  now = playback_.calls.advance(now);
  if (!connection_) return nullptr;
  const Snapshot* const snapshot = connection_->receive(from, datagram, now, route);
  if (retry_.silent && connection_->connected() && !connection_->endpoint().is_silent(now)) {
    retry_.silent = false;
    retry_.set_problem({ConnectFailure::none, {}});
    phase_ = ClientPhase::connected;
  }
  notice_join(now);
  add_state(snapshot, now);
  take_report(now);
  return snapshot;
}

// Prepares the clocks and the frames once the server has accepted the client.
void Client::notice_join(net::Nanoseconds now) {
  const bool waits = phase_ == ClientPhase::connecting || phase_ == ClientPhase::reconnecting;
  if (!waits || retry_.silent || !connection_->connected()) return;
  phase_ = ClientPhase::connected;
  retry_.set_problem({ConnectFailure::none, {}});
  retry_.joined_at = now;
  if (std::exchange(retry_.resumes, false)) retry_.tickets.drop_next();
  const codec::message::Welcome& welcome = connection_->endpoint().welcome();
  playback_.waits = true;
  if (!playback_.frames || welcome.epoch != playback_.welcome.epoch) {
    playback_.resumed = true;
    playback_.scene.reset();
  }
  playback_.welcome = welcome;
  ++stats_.connections;
  playback_.commands.emplace(welcome.tick_rate);
  playback_.commands->limit(options_.command_delay);
}

// Adds a new state to the frames: the snapshot, or the followed world if it has stepped. After a
// restart of the server (a new epoch), the old bodies stay until the first new state arrives.
void Client::add_state(const Snapshot* snapshot, net::Nanoseconds now) {
  const World* const world = this->world();
  if (follower_) {
    stats_.ticks_checked += follower_->ticks_checked() - playback_.checked;
    playback_.checked = follower_->ticks_checked();
    if (!stats_.mismatch) {
      stats_.mismatch = follower_->mismatch();
      stats_.flight = follower_->flight();
    }
  }
  const bool stepped = world && world->tick() != playback_.newest;
  if (!snapshot && !stepped) return;
  playback_.waits = false;
  if (std::exchange(playback_.resumed, false)) {
    playback_.hitches = stats().hitches;
    playback_.jumps = stats().jumps;
    playback_.frames.emplace(playback_.welcome.tick_time, playback_.welcome.tick_rate);
  }
  if (snapshot) {
    playback_.frames->add(*snapshot, now);
  } else {
    playback_.frames->add(*world, now);
  }
  playback_.newest = snapshot ? snapshot->tick : world->tick();
  const net::PathEstimator& path = connection_->endpoint().path();
  playback_.commands->guess(seconds(path.round_trip()), seconds(path.jitter()),
                            playback_.frames->clock().server(), seconds(now));
}

// Keeps events, refusals, notices and answers for the caller. Gives the margin of commands that the
// server reported to the command clock.
void Client::take_report(net::Nanoseconds now) {
  for (const codec::message::Events& events : connection_->events()) {
    if (!options_.events) break;  // a server may send events that the caller did not ask for
    stats_.events_missed += playback_.arrivals.add(events);
  }
  for (const codec::message::Refusal& refusal : connection_->messages().refusals()) {
    const std::uint64_t number = stats_.commands + refusal.sequence.value;
    stats_.refusals_missed +=
        playback_.arrivals.add(RefusedNumber{number, refusal.tick, refusal.reason});
  }
  for (const codec::message::Notice& notice : connection_->messages().notices()) {
    stats_.notices_missed += playback_.arrivals.add(notice);
  }
  if (connection_->answer()) playback_.arrivals.add(*connection_->answer());
  const std::optional<int> units = connection_->take_margin().units();
  if (!units || !playback_.commands || !playback_.frames) return;
  stats_.margin = static_cast<double>(*units) / codec::CommandMargin::kPerTick;
  stats_.late_reports += *units < 0;
  playback_.commands->reported(connection_->commands().acknowledged(), *stats_.margin,
                               playback_.frames->clock().server(), seconds(now));
}

void Client::update(net::Nanoseconds now) {
  now = playback_.calls.advance(now);
  const bool waits = phase_ == ClientPhase::connecting || phase_ == ClientPhase::reconnecting;
  if (waits && !connection_ && now >= retry_.at) open(now);
  if (!connection_) return;
  const bool unanswered = connection_->endpoint().state() == net::ClientState::requesting;
  if (waits && unanswered && retry_.resumes && now >= retry_.ask_at) open(now);
  connection_->update(now);
  if (connection_->endpoint().is_silent(now)) {
    if (phase_ == ClientPhase::connected) {
      retry_.silent = true;
      ConnectAttempt silence = attempt();
      silence.reason = EndReason::silent;
      retry_.set_problem({ConnectFailure::silent, describe(silence)});
      phase_ = ClientPhase::reconnecting;
    }
    // A paused server still has its socket, so this one is gone. Anybody can forge such a report,
    // but only an attacker on the path can also silence the server.
    if (queue_.reach() == Reach::nobody_listens) connection_->lose();
  }
  if (connection_->endpoint().state() == net::ClientState::ended) notice_end(now);
}

// Plans the next attempt to connect. It does so if the server accepted the client before, a new
// attempt may succeed, and the time for reconnecting is not over.
void Client::notice_end(net::Nanoseconds now) {
  const EndReason reason = connection_->endpoint().end_reason();
  const bool unsound = follower_ && follower_->error();
  retry_.attempt = attempt();
  const bool joined = phase_ == ClientPhase::connected || retry_.silent;
  const bool resumed = std::exchange(retry_.resumes, false) && !joined;
  // A failed attempt with the ticket does not change why the client lost its connection.
  if (!resumed) retry_.set_problem({explain(retry_.attempt).cause, describe(retry_.attempt)});
  if (unsound) {
    const bool other = follower_->error()->code == ErrorCode::version;
    retry_.set_problem({other ? ConnectFailure::other_version : ConnectFailure::dropped,
                        "the server " + follower_->error()->message});
  }
  if (joined) retry_.note_loss(now);
  const bool refused = resumed && refuses_token(reason);
  if (refused) retry_.tickets.drop_next();
  if (joined) retry_.tickets.add(connection_->endpoint().heard().tickets);
  if (reason == EndReason::server_stopped) retry_.tickets.clear();
  close();
  const bool returns = !unsound && may_return(reason) && retry_.has_time(now, options_.reconnect);
  phase_ = returns ? ClientPhase::reconnecting : ClientPhase::ended;
  retry_.at = refused ? now : now + retry_.wait;
  if (!refused) retry_.wait = std::min(2 * retry_.wait, kRetryMax);
}

ConnectAttempt Client::attempt() const {
  ConnectAttempt attempt = retry_.attempt;
  if (!connection_) return attempt;
  attempt.reason = connection_->endpoint().end_reason();
  attempt.goodbye = connection_->endpoint().heard().goodbye;
  attempt.server = connection_->endpoint().server();
  attempt.unix_seconds = queue_.unix_seconds();
  attempt.reach = queue_.reach();
  attempt.heard = connection_->counters().datagrams_received > 0;
  return attempt;
}

bool Client::command(const CommandPayload& payload, net::Nanoseconds now) {
  now = playback_.calls.advance(now);
  if (!connection_ || !connection_->connected() || !playback_.commands) return false;
  const Sequence next{connection_->commands().given().value + 1};
  const Tick tick = playback_.frames ? playback_.commands->give(
                                           next, playback_.frames->clock().server(), seconds(now))
                                     : Tick{};
  return connection_->command(payload, tick);
}

std::optional<std::uint32_t> Client::cast_ray(const Vec3& origin, const Vec3& along,
                                              net::Nanoseconds now) {
  now = playback_.calls.advance(now);
  if (!connection_ || !connection_->connected() || retry_.silent) return std::nullopt;
  return playback_.arrivals.ask(connection_->cast_ray(origin, along, now));
}

Frame Client::frame(net::Nanoseconds now, FrameMode mode) {
  static const std::vector<BodyPose> kNone;
  const bool is_there = phase_ == ClientPhase::connected || retry_.silent;
  const bool down = !is_there || playback_.waits;
  now = playback_.calls.map(now);
  const bool kept =
      !down ||
      (retry_.lost_at && (now < *retry_.lost_at || seconds(now - *retry_.lost_at) < kKeptSeconds));
  return playback_.frames && kept ? playback_.frames->at(now, mode) : Frame{0, &kNone};
}

const Scene* Client::scene() const {
  const Scene* const arrived = connection_ ? connection_->scene() : nullptr;
  return arrived || !playback_.scene ? arrived : &*playback_.scene;
}

ClientStats Client::stats() const {
  ClientStats stats = stats_;
  if (playback_.frames) {
    stats.frame_delay = playback_.frames->clock().delay();
    stats.hitches = playback_.hitches + playback_.frames->clock().hitches();
    stats.jumps = playback_.jumps + playback_.frames->clock().jumps();
  }
  if (playback_.commands) stats.command_slack = playback_.commands->slack();
  if (!connection_) return stats;
  const net::PathEstimator& path = connection_->endpoint().path();
  stats.round_trip = seconds(path.round_trip());
  stats.jitter = seconds(path.jitter());
  stats.loss = path.loss();
  stats.narrowed = connection_->endpoint().heard().narrowed || path.datagrams().drops_larger();
  const ConnectionCounters& counters = connection_->counters();
  stats.commands += counters.commands;
  stats.bytes_received += counters.bytes_received;
  stats.datagrams_received += counters.datagrams_received;
  stats.events_missed += counters.messages.events_missed;
  stats.refused += counters.messages.refused + counters.messages.refusals_missed;
  stats.refusals_missed += counters.messages.refusals_missed;
  return stats;
}

}  // namespace orrery::client
