// Simulates a malicious client with a valid token.
#include "tests/fleet/players/hostile.h"

#include "client/cli/bots/spoil.h"
#include "common/codec/event_codec.h"
#include "common/codec/message_codec.h"
#include "common/codec/snapshot_codec.h"
#include "common/core/limits.h"

namespace orrery::fleet {
namespace {

constexpr std::uint32_t kFloodPackets = 2000;

}  // namespace

Hostile::Hostile(Network& network, const net::Cipher& cipher, Issuer& issuer,
                 Invariants& invariants, std::uint64_t seed, std::uint32_t number)
    : Attacker(network, cipher, issuer, invariants, seed, number, 1000),
      lure_machine_(network, cipher, mix64(~seed), address_of(kOwnNetwork + number, 3000)),
      liar_(network, cipher, issuer, invariants, mix64(seed + 1), number) {}

// Connects, often with the previous token or a ticket. The server must reject used ones.
void Hostile::connect() {
  const std::uint32_t drawn = random_.below(4);
  if (connected_at_ == 0 || drawn < 2) return begin(issuer_.issue(number_, Role::play), false);
  if (drawn == 2 && ticket_) return begin(*ticket_, true);
  begin(token_, is_ticket_);
}

void Hostile::try_used_token() {
  if (used_ && !gone_) begin(*used_, false);
}

void Hostile::begin(const net::ConnectToken& token, bool is_ticket) {
  token_ = token;
  is_ticket_ = is_ticket;
  connected_at_ = 0;
  sequence_ = 0;
  endpoint_.emplace(machine_, token_, network_.now);
}

void Hostile::hear(net::ClientEndpoint& endpoint, const net::Datagram& datagram) {
  const net::ClientState before = endpoint.state();
  endpoint.receive(datagram.from, datagram.bytes, network_.now);
  heard(datagram, before, endpoint);
}

void Hostile::receive(const net::Datagram& datagram) {
  if (datagram.to == liar_.address()) return liar_.receive(datagram);
  if (lure_ && datagram.to == lure_machine_.address()) return hear(*lure_, datagram);
  if (!endpoint_ || datagram.to != machine_.address()) return;
  hear(*endpoint_, datagram);
  note_join(*endpoint_, true);
  if (!is_ticket_ && endpoint_->state() == net::ClientState::connected) used_ = token_;
  net::KeptTickets tickets = endpoint_->heard().tickets;
  if (const net::Ticket* const next = tickets.next(network_.now)) ticket_ = next->token;
}

void Hostile::update() {
  if (gone_) return;
  liar_.update();
  if (random_.below(600) == 0) withhold_response();
  if (!endpoint_ || endpoint_->state() == net::ClientState::ended) {
    if (random_.below(60) == 0) connect();
    return;
  }
  endpoint_->update(network_.now);
  if (endpoint_->state() == net::ClientState::connected) attack();
  if (random_.below(30) == 0) half_a_handshake();
}

void Hostile::go() {
  if (endpoint_) endpoint_->disconnect(network_.now);
  liar_.go();
  gone_ = true;
}

void Hostile::attack() {
  switch (random_.below(12)) {
    case 0:
      return send_commands(sequence_ + 1, Tick{}, false);
    case 1:
      return send_commands(sequence_ + 1, Tick{}, true);
    case 2:
      return send_commands(sequence_ + 1, Tick{random_.next()}, false);
    case 3:
      return send_commands(static_cast<std::uint32_t>(random_.next()) / 2 + 1, Tick{}, false);
    case 4:
      return send_spoiled_query();
    case 5:
      return send_garbage();
    case 6:
      return reuse_token();
    case 7:
      if (random_.below(60) == 0) flood();
      return;
    case 8:
      // The client does not leave before it connects again. Its new connection then takes over the
      // slot of the old one.
      if (random_.below(10) == 0) connect();
      return;
    default:
      return;
  }
}

void Hostile::send_commands(std::uint32_t first, Tick tick, bool spoiled) {
  std::vector<codec::message::TimedCommand> commands;
  const std::uint32_t count = 1 + random_.below(limits::kCommandsQueuedMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    const BodyId body{random_.below(80)};
    const auto push = static_cast<float>(random_.symmetric());
    const CommandPayload payload = command::Impulse{body, {push, 0, 0}};
    commands.push_back({tick, {sessions_.back().client, Sequence{first + i}, payload}});
  }
  message_.clear();
  codec::encode_input(commands, message_);
  if (spoiled) client::spoil(message_, random_);
  endpoint_->send(net::MessageType::input, message_, network_.now);
  if (first == sequence_ + 1) ++sequence_;
}

void Hostile::send_spoiled_query() {
  message_.clear();
  codec::encode(codec::message::Query{1, {0, 10, 0}, {0, -20, 0}}, message_);
  if (random_.below(2) == 0) client::spoil(message_, random_);
  endpoint_->send(net::MessageType::query, message_, network_.now);
}

void Hostile::send_garbage() {
  message_.resize(1 + random_.below(limits::kMessageBytesMax));
  for (auto& byte : message_) byte = static_cast<std::uint8_t>(random_.next());
  endpoint_->send(net::MessageType::input, message_, network_.now);
}

void Hostile::flood() {
  for (std::uint32_t i = 0; i < kFloodPackets; ++i) send_commands(1, Tick{}, false);
}

// Sends the current token from another address. The server must not accept it: a token admits one
// client, once, from one address.
void Hostile::reuse_token() {
  message_.clear();
  net::encode_request(token_, message_);
  network_.forge_to_server(address_of(kOwnNetwork + number_, 2000), message_);
}

// Sends requests from an address where nobody receives the challenge.
void Hostile::half_a_handshake() {
  ++forged_;
  const std::uint32_t account = 1000 * number_ + forged_;
  message_.clear();
  net::encode_request(issuer_.issue(account, Role::play), message_);
  const net::Address from = address_of(kOwnNetwork + 65536 + account, 1000);
  for (int i = 0; i < 3; ++i) network_.forge_to_server(from, message_);
}

// Connects with a request that arrives. All responses to the challenge are lost.
void Hostile::withhold_response() {
  lure_machine_.up().set_faults({});
  lure_.emplace(lure_machine_, issuer_.issue(500 + number_, Role::play), network_.now);
  lure_machine_.up().set_faults({.loss = 1});
}

}  // namespace orrery::fleet
