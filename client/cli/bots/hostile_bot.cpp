// A test client that attacks the server with a valid token.
#include "client/cli/bots/hostile_bot.h"

#include <utility>

#include "client/cli/bots/spoil.h"
#include "common/codec/event_codec.h"
#include "common/codec/message_codec.h"
#include "common/core/limits.h"
#include "common/net/timing.h"

namespace orrery::client {
namespace {

// Time between two attacks. It keeps the bot below kPacketsPerTick, the limit of a client, outside
// of floods.
constexpr net::Nanoseconds kAttackInterval = 10 * net::kMillisecond;
// Duration of a flood: longer than the window in which the server measures the rate of packets.
constexpr net::Nanoseconds kFlood = 2 * net::kFloodWindow;
// Packets of a flood in each call of update(). There are several calls in a tick.
constexpr int kFloodPackets = 20;
constexpr std::uint32_t kAttacksPerFlood = 1000;
constexpr std::uint32_t kBodies = 80;
constexpr net::Nanoseconds kRetry = net::kSecond;
// Longest time until a server lets a client in again, also on a bad network.
constexpr net::Nanoseconds kReturnMax = 15 * net::kSecond;

}  // namespace

HostileBot::HostileBot(ClientEnvironment environment, TokenSource tokens, std::uint64_t seed,
                       net::Nanoseconds now)
    : queue_(std::move(environment)), tokens_(std::move(tokens)), random_(seed) {
  connect(now);
}

// Connects with a new token. If a connection exists, it ends without a goodbye.
void HostileBot::connect(net::Nanoseconds now) {
  connect_at_ = now + kRetry;
  const Result<TokenOffer> offer = tokens_();
  if (!offer || !offer.value().token) return;
  const net::ConnectToken& token = *offer.value().token;
  accepted_ = false;
  sequence_ = 0;
  flood_until_ = 0;
  endpoint_.emplace(queue_, token, now);
  found_.attempt = {
      .created = token.created, .expires = token.head.expires, .servers = token.servers};
}

void HostileBot::receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
                         std::uint32_t route) {
  if (!endpoint_) return;
  found_.bytes_received += datagram.size();
  found_.attempt.heard = true;
  endpoint_->receive(from, datagram, now, route);
  while (endpoint_->next_message()) {
  }
  if (endpoint_->state() != net::ClientState::connected || std::exchange(accepted_, true)) return;
  found_.reconnects += found_.connected;
  ++found_.connections;
  found_.connected = true;
  found_.only_watches = endpoint_->welcome().role == Role::watch;
  lost_at_ = 0;
}

void HostileBot::update(net::Nanoseconds now) {
  if (endpoint_) endpoint_->update(now);
  if (endpoint_ && endpoint_->state() == net::ClientState::ended) {
    if (lost_at_ == 0) lost_at_ = now;
    end();
  }
  if (!endpoint_ && found_.connected && now >= connect_at_) connect(now);
  if (finishing_ || !accepted_ || !endpoint_) return;
  for (int i = 0; i < kFloodPackets && now < flood_until_; ++i) {
    send_commands(1, Tick{}, false, now);
  }
  if (now < next_attack_) return;
  next_attack_ = now + kAttackInterval;
  attack(now);
}

void HostileBot::attack(net::Nanoseconds now) {
  if (random_.below(kAttacksPerFlood) == 0) flood_until_ = now + kFlood;
  if (random_.below(kAttacksPerFlood) == 0) return connect(now);
  switch (random_.below(8)) {
    case 0:
      return send_commands(sequence_ + 1, Tick{}, false, now);
    case 1:
      return send_commands(sequence_ + 1, Tick{}, true, now);
    case 2:
      return send_commands(sequence_ + 1, Tick{random_.next()}, false, now);
    case 3:
      return send_commands(static_cast<std::uint32_t>(random_.next()) / 2 + 1, Tick{}, false, now);
    case 4:
      return send_query(now);
    case 5:
      return send_random_message(now);
    case 6:
      return send_random_datagram();
    default:
      return repeat_datagram();
  }
}

void HostileBot::send_commands(std::uint32_t first, Tick tick, bool spoiled, net::Nanoseconds now) {
  std::vector<codec::message::TimedCommand> commands;
  const std::uint32_t count = 1 + random_.below(limits::kCommandsQueuedMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto push = static_cast<float>(random_.symmetric());
    const command::Impulse impulse{BodyId{random_.below(kBodies)}, {push, 0, 0}};
    commands.push_back({tick, {endpoint_->welcome().client, Sequence{first + i}, impulse}});
  }
  message_.clear();
  codec::encode_input(commands, message_);
  if (spoiled) spoil(message_, random_);
  endpoint_->send(net::MessageType::input, message_, now);
  if (first == sequence_ + 1) ++sequence_;
}

void HostileBot::send_query(net::Nanoseconds now) {
  message_.clear();
  codec::encode(codec::message::Query{1, {0, 10, 0}, {0, -20, 0}}, message_);
  if (random_.below(2) == 0) spoil(message_, random_);
  endpoint_->send(net::MessageType::query, message_, now);
}

void HostileBot::send_random_message(net::Nanoseconds now) {
  fill(message_, limits::kMessageBytesMax);
  endpoint_->send(net::MessageType::input, message_, now);
}

void HostileBot::send_random_datagram() {
  fill(message_, net::kPacketBytesMax);
  queue_.send(endpoint_->server(), message_);
}

// Sends a datagram again, whole, cut off, or with a flipped bit.
void HostileBot::repeat_datagram() {
  message_ = recorded_;
  if (message_.empty()) return;
  const auto size = static_cast<std::uint32_t>(message_.size());
  const std::uint32_t kind = random_.below(3);
  if (kind == 0) message_.resize(random_.below(size) + 1);
  if (kind == 1) message_[random_.below(size)] ^= static_cast<std::uint8_t>(1u << random_.below(8));
  queue_.send(endpoint_->server(), message_);
}

void HostileBot::fill(std::vector<std::uint8_t>& bytes, std::uint32_t size_max) {
  bytes.resize(1 + random_.below(size_max));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_.next());
}

std::optional<Outgoing> HostileBot::poll_send() {
  const auto datagram = queue_.take();
  if (datagram && random_.below(16) == 0) {
    recorded_.assign(datagram->bytes.begin(), datagram->bytes.end());
  }
  return datagram;
}

void HostileBot::stop(net::Nanoseconds now) {
  if (found_.connected && lost_at_ != 0 && now - lost_at_ > kReturnMax) {
    found_.problems = 1;
    found_.first_problem = "the server did not let a hostile client in again";
  }
  if (!endpoint_) return;
  endpoint_->disconnect(now);
  end();
}

// Notes how the attempt ended. REQUIRES: the endpoint has ended.
void HostileBot::end() {
  found_.attempt.reason = endpoint_->end_reason();
  found_.attempt.server = endpoint_->server();
  found_.attempt.unix_seconds = queue_.unix_seconds();
  found_.attempt.reach = queue_.reach();
  endpoint_.reset();
}

}  // namespace orrery::client
