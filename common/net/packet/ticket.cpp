// Encodes resumption tickets: the message with which a server lets a client connect once more.
#include "common/net/packet/ticket.h"

#include <algorithm>

namespace orrery::net {

void encode_ticket(const ConnectToken& ticket, std::vector<std::uint8_t>& out) {
  ByteWriter writer(out);
  writer.u64(ticket.created);
  writer.u64(ticket.head.expires);
  writer.bytes(ticket.head.nonce);
  writer.bytes(ticket.sealed);
  writer.bytes(ticket.client_to_server);
  writer.bytes(ticket.server_to_client);
}

std::optional<ConnectToken> decode_ticket(Bytes message, const ConnectToken& token,
                                          const Address& server) {
  if (message.size() != kTicketBytes) return std::nullopt;
  ByteReader reader(message);
  ConnectToken ticket;
  const auto read = [&](auto& into) {
    const Bytes bytes = reader.bytes(into.size());
    std::copy(bytes.begin(), bytes.end(), into.begin());
  };
  ticket.created = reader.u64();
  ticket.head.expires = reader.u64();
  if (ticket.created > ticket.head.expires) return std::nullopt;
  read(ticket.head.nonce);
  read(ticket.sealed);
  read(ticket.client_to_server);
  read(ticket.server_to_client);
  ticket.head.protocol_id = token.head.protocol_id;
  ticket.timeout_seconds = token.timeout_seconds;
  // The others may be addresses of the same server. Another server refuses the ticket.
  ticket.servers = {server};
  for (const Address& other : token.servers.span()) {
    if (other != server) ticket.servers.add(other);
  }
  return ticket;
}

}  // namespace orrery::net
