// Makes and reads connect tokens of netcode 1.02: the permission for one client to connect.
//
// A back end with the servers' key makes a token and gives it to a client. The private part is
// sealed with that key, so that only servers can read it. Layout: schema/wire.md 3.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/net/packet/address.h"
#include "common/net/packet/cipher.h"

namespace orrery::net {

// The netcode version, with the terminating zero. It is part of requests, tokens and the associated
// bytes of every sealed packet.
inline constexpr std::array<std::uint8_t, 13> kNetcodeVersion = {'N', 'E', 'T', 'C', 'O', 'D', 'E',
                                                                 ' ', '1', '.', '0', '2', 0};

// The protocol id of servers and clients that set no other: "ORRERY" in little-endian ASCII.
inline constexpr std::uint64_t kDefaultProtocolId = 0x59524552524f;

inline constexpr std::size_t kConnectTokenBytes = 2048;
inline constexpr std::size_t kPrivateTokenBytes = 1024;
inline constexpr std::size_t kUserDataBytes = 256;

using UserData = std::array<std::uint8_t, kUserDataBytes>;

// The mark of a resumption ticket (ticket.h). Only a server that made a ticket accepts it.
struct TicketMark {
  std::uint64_t run = 0;      // the run of the server that made the ticket
  std::uint64_t number = 0;   // of the ticket, in that run
  std::uint64_t created = 0;  // creation time of the account's connect token, in Unix seconds
};

// The part of a token that only servers can read: the client, its servers and its session keys.
struct PrivateToken {
  std::uint64_t client_id = 0;       // the account; has at most one connection
  std::int32_t timeout_seconds = 0;  // silence that ends the connection; 0 or less: the longest
  AddressList servers{};             // public addresses of the servers
  Key client_to_server{};
  Key server_to_client{};
  UserData user_data{};                // the first byte is the client's Role
  std::optional<TicketMark> ticket{};  // nothing in a token of a back end
};

// Writes the creation time into the user data, after the role: `CREATED` and Unix seconds as u64.
// In the standard, servers cannot read the creation time. Tokens of Orrery therefore repeat it in
// the user data.
void mark_created(PrivateToken& token, std::uint64_t created);
// Returns the creation time in Unix seconds, or nothing if the token does not contain it.
std::optional<std::uint64_t> created_of(const PrivateToken& token);

// Bytes of the user data that a back end may use. They follow role and creation time.
inline constexpr std::size_t kOwnDataBytes = kUserDataBytes - 16;
// Returns these bytes up to the last one that is not 0.
Bytes own_data_of(const UserData& data);

// The part of a token that a connection request carries unencrypted.
struct TokenHead {
  std::uint64_t protocol_id = 0;
  std::uint64_t expires = 0;  // Unix seconds
  TokenNonce nonce{};
};

// A connect token as its client has it.
struct ConnectToken {
  TokenHead head;
  std::uint64_t created = 0;                              // Unix seconds
  std::array<std::uint8_t, kPrivateTokenBytes> sealed{};  // the private part
  std::int32_t timeout_seconds = 0;
  AddressList servers{};  // servers to try, in this order
  Key client_to_server{};
  Key server_to_client{};
};

// Makes a token: seals the private part and adds the client's part. The client tries the addresses
// of `send_to` in order. REQUIRES: the nonce of the head is random and new; created <=
// head.expires.
ConnectToken make_connect_token(const Cipher& cipher, const Key& key, const TokenHead& head,
                                std::uint64_t created, const PrivateToken& token,
                                const AddressList& send_to);

// Opens the private part. Returns nothing if it was not sealed with this key and head, or is
// invalid.
std::optional<PrivateToken> open_private_token(const Cipher& cipher, const Key& key,
                                               const TokenHead& head, Bytes sealed);

// Encode a token as kConnectTokenBytes bytes, and decode it. Decoding returns nothing if the bytes
// are not a valid token.
std::vector<std::uint8_t> encode_connect_token(const ConnectToken& token);
std::optional<ConnectToken> decode_connect_token(Bytes bytes);

}  // namespace orrery::net
