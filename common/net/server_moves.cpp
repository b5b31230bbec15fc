// Decides whether the connection of a client may continue from another address.
#include "common/net/server_moves.h"

namespace orrery::net {

std::variant<Application, Drop> read_move(Gate& gate, const ServerPeers& peers, const Address& from,
                                          Bytes datagram) {
  auto read = gate.read_request(from, datagram, PacketType::move);
  auto* const application = std::get_if<Application>(&read);
  if (!application) return read;
  const PendingClient& applicant = application->applicant;
  ORRERY_ASSERT(applicant.address == from);
  const std::optional<ClientId> client = peers.find(applicant.owner.client_id);
  if (!client || peers[*client].seal != applicant.seal) {
    // A token that may still make a connection gets no denial. Somebody could keep the denial, and
    // send it to the client of that connection.
    if (!application->refusal) return Drop::stranger;
    application->refusal = EndReason::forgotten;
    return read;
  }
  if (peers[*client].link.address().carrier != from.carrier) return Drop::misdirected;
  if (peers.contains(from)) return Drop::connected;
  application->refusal.reset();  // the token is used, and may have expired
  return read;
}

std::variant<ClientId, Drop> move_client(Gate& gate, ServerPeers& peers, const Address& from,
                                         Bytes datagram, std::span<std::uint8_t> text,
                                         Nanoseconds now) {
  ORRERY_ASSERT(text.size() >= kPacketBytesMax);
  const auto moved = decode_moved(datagram);
  const auto prefix = moved ? decode_prefix(moved->packet) : std::nullopt;
  if (!prefix || prefix->type != PacketType::response || moved->index >= peers.capacity()) {
    return Drop::malformed;
  }
  const ClientId client{moved->index + 1};
  ServerPeer& p = peers[client];
  if (!p.joined) return Drop::stranger;
  if (p.link.address().carrier != from.carrier) return Drop::misdirected;
  // A client answers a challenge more than once. After it has moved on, an earlier answer must not
  // move it back.
  if (prefix->sequence < p.move_next) return Drop::repeated;
  // A copy from another address must not use up the sequence of the client's own packet.
  const auto opened = p.link.open(gate.sealer(), *prefix, moved->packet, text, [&](Bytes answer) {
    return gate.is_challenge_of({p.owner.client_id, p.seal, from}, answer);
  });
  if (const Drop* const reason = std::get_if<Drop>(&opened)) return *reason;
  if (peers.contains(from)) return Drop::connected;
  if (!gate.may_connect(from, now)) return Drop::flood;
  ORRERY_ASSERT(from != p.link.address());
  p.move_next = prefix->sequence + 1;
  peers.move(client, from, now);
  p.link.hear(now);
  return client;
}

}  // namespace orrery::net
