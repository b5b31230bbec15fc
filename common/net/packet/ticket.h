// Encodes resumption tickets: the message with which a server lets a client connect once more.
//
// A ticket is a connect token that the server makes itself, for the account, the role and the user
// data of a connected client. It is valid once, for kTicketLifeSeconds, at the run of the server
// that made it. The message has the parts of the token that its client does not know yet.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/limits.h"
#include "common/net/packet/connect_token.h"

namespace orrery::net {

inline constexpr std::size_t kTicketBytes =
    8 + 8 + sizeof(TokenNonce) + kPrivateTokenBytes + 2 * kKeyBytes;
static_assert(kTicketBytes <= limits::kMessageBytesMax);

// Appends the message with a ticket.
void encode_ticket(const ConnectToken& ticket, std::vector<std::uint8_t>& out);

// Decodes a message. `token` is the token with which its client connected: the ticket has the same
// protocol id and timeout, and is for `server`. Returns nothing if the message is not valid.
std::optional<ConnectToken> decode_ticket(Bytes message, const ConnectToken& token,
                                          const Address& server);

}  // namespace orrery::net
