// Decides whether the connection of a client may continue from another address.
#pragma once

#include <span>
#include <variant>

#include "common/core/ids.h"
#include "common/net/drops.h"
#include "common/net/gate/gate.h"
#include "common/net/server_peers.h"

namespace orrery::net {

// Checks a packet of type move. Returns the applicant that gets a challenge, with the refusal
// `gone` if there is no such connection, or the reason to drop the packet.
//
// A move leaves nothing in memory. Anybody may copy it and send it from any address, and this must
// not keep its client from moving.
std::variant<Application, Drop> read_move(Gate& gate, const ServerPeers& peers, const Address& from,
                                          Bytes datagram);

// Checks a packet of type moved, the answer to the challenge, and moves the client. Returns the
// client, or the reason to drop the packet. REQUIRES: `text` has room for kPacketBytesMax bytes.
//
// Only the client can seal the answer, and it is valid only for the address that received the
// challenge. An answer that is older than the last move is refused, so nobody can move the client
// back.
std::variant<ClientId, Drop> move_client(Gate& gate, ServerPeers& peers, const Address& from,
                                         Bytes datagram, std::span<std::uint8_t> text,
                                         Nanoseconds now);

}  // namespace orrery::net
