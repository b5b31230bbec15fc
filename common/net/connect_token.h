// Owns connect tokens of netcode 1.02: what lets a client connect, made by whoever has the key that
// the servers have.
//
// A token is public to its client and private to the servers: its private part is sealed with a key
// that no client has. Layout: schema/README.md, *The wire*.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/net/address.h"
#include "common/net/cipher.h"

namespace orrery {

// Names the protocol in everything that is sealed; with its zero.
inline constexpr std::array<std::uint8_t, 13> kNetcodeVersion = {'N', 'E', 'T', 'C', 'O', 'D', 'E',
                                                                 ' ', '1', '.', '0', '2', 0};

// Of servers and clients that say nothing else: "ORRERY".
inline constexpr std::uint64_t kDefaultProtocolId = 0x59524552524f;

inline constexpr std::size_t kConnectTokenBytes = 2048;
inline constexpr std::size_t kPrivateTokenBytes = 1024;
inline constexpr std::size_t kUserDataBytes = 256;

// What the servers read: who the client is, where it may go, and the keys of its session.
struct PrivateToken {
  std::uint64_t client_id = 0;       // of the account; no two clients have the same at one time
  std::int32_t timeout_seconds = 0;  // of silence that end the session; 0 or less: none does
  AddressList servers{};             // by the addresses that servers call themselves
  Key client_to_server{};
  Key server_to_client{};
  std::array<std::uint8_t, kUserDataBytes> user_data{};  // the first byte is the client's Role
};

// The standard keeps from servers when a token was made. Tokens of Orrery say it in their user
// data, behind the role: `CREATED` and Unix seconds u64.
void mark_created(PrivateToken& token, std::uint64_t created);
// Nothing if whoever made the token did not say.
std::optional<std::uint64_t> created_of(const PrivateToken& token);

// The part of a token that stands in the clear in its request.
struct TokenHead {
  std::uint64_t protocol_id = 0;
  std::uint64_t expires = 0;  // Unix seconds
  TokenNonce nonce{};
};

// What a client has.
struct ConnectToken {
  TokenHead head;
  std::uint64_t created = 0;                              // Unix seconds
  std::array<std::uint8_t, kPrivateTokenBytes> sealed{};  // the private part
  std::int32_t timeout_seconds = 0;
  AddressList servers{};  // where to send to, in this order
  Key client_to_server{};
  Key server_to_client{};
  std::uint64_t first_sequence = 0;  // of what the client seals; below 2^62, not in the bytes
};

// Seals the private part, and puts what the client needs around it: addresses to send to, in this
// order. The nonce of the head is drawn at random for each token.
ConnectToken make_connect_token(const Cipher& cipher, const Key& key, const TokenHead& head,
                                std::uint64_t created, const PrivateToken& token,
                                const AddressList& send_to);

// Nothing if the bytes were not sealed with this key and head, or are not a sound private part.
std::optional<PrivateToken> open_private_token(const Cipher& cipher, const Key& key,
                                               const TokenHead& head, Bytes sealed);

// A token's kConnectTokenBytes, and back: nothing if they are not a sound token.
std::vector<std::uint8_t> encode_connect_token(const ConnectToken& token);
std::optional<ConnectToken> decode_connect_token(Bytes bytes);

}  // namespace orrery
