// Keeps clients that have not yet answered their challenge, and finds them by their responses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/net/channel/link.h"
#include "common/net/channel/packet_sequences.h"
#include "common/net/drops.h"
#include "common/net/fixed_map.h"
#include "common/net/packet/connect_token.h"
#include "common/net/timing.h"

namespace orrery::net {

// The owner of a token: the parts of the token that its resumption tickets repeat.
struct TokenOwner {
  std::uint64_t client_id = 0;
  std::int32_t timeout_seconds = 0;  // silence that ends the connection, 1 to kTimeoutSecondsMax
  // When the token was created, or the earliest possible time if the token does not say, in Unix
  // seconds.
  std::uint64_t created = 0;
  UserData user_data{};
};

// An applicant: a client with a valid token that has not yet answered its challenge.
struct PendingClient {
  Address address{};  // where it asked first, or where it answered
  TokenOwner owner{};
  PacketSequences sequences{};  // sequences of the server's packets to the connected client
  LinkKeys keys{};              // keys of the server's side
  Seal seal{};                  // tag of its token's private part; identifies the token
  std::uint8_t place = 0;       // of this server in the token's list; its size: not in the list
  std::uint64_t ticket = 0;     // number of the resumption ticket; 0: another token
  std::uint64_t expires = 0;    // when its token expires, in Unix seconds
  Nanoseconds until = 0;        // when the gate forgets the client
};

// The applicants of a server, in fixed memory. An account has one.
//
// Anybody that overhears a request can send copies of it. A copy must not keep the owner of the
// token out, so no token is reserved for the address that asks first. A challenge is valid for one
// address, and only the owner has the key that seals the response. A response therefore proves
// both, and addresses only help to find its keys. If a token was requested from a second address,
// or if another account asks from the same address, the account is *contested*: its keys are also
// tried on responses from other addresses. The first correct response wins.
class Applicants {
 public:
  // REQUIRES: capacity >= 1; the environment outlives the table.
  Applicants(std::uint32_t capacity, NetEnvironment& environment);

  // Adds an applicant, in place of one of its account with another token. If an applicant with this
  // token exists, it stays, until the new time. Returns the reason not to add it, or nothing: the
  // table is full, or its account has an applicant with a newer token.
  std::optional<Drop> add(const PendingClient& applicant);

  // Returns the applicant that sent a packet from an address, or nothing. `sent(applicant)` must
  // return true for this applicant only. It is called for those that may have sent the packet.
  template <class Sent>
  std::optional<PendingClient> find(const Address& from, Sent sent) const {
    const std::uint64_t* const there = client_ids_.find(from);
    if (there && sent(*table_.find(*there))) return moved_to(from, *there);
    for (const std::uint64_t client_id : contested_) {
      if (sent(*table_.find(client_id))) return moved_to(from, client_id);
    }
    return std::nullopt;
  }
  // Returns true if an applicant asked first from this address.
  bool contains(const Address& address) const { return client_ids_.contains(address); }
  // Returns the applicant of an account, or nullptr.
  const PendingClient* find(std::uint64_t client_id) const { return table_.find(client_id); }

  // Removes the applicant of an account. REQUIRES: it exists.
  void remove(std::uint64_t client_id);
  // Removes all whose time is over.
  void forget(Nanoseconds now);

 private:
  PendingClient moved_to(const Address& address, std::uint64_t client_id) const;
  void contest(std::uint64_t client_id);
  void forget_place(const PendingClient& applicant);

  NetEnvironment& environment_;
  FixedMap<std::uint64_t, PendingClient> table_;  // key: the client id of the token
  FixedMap<Address, std::uint64_t> client_ids_;   // of the applicant that asked first at an address
  std::vector<std::uint64_t> contested_;          // client ids; at most kContestedMax
};

}  // namespace orrery::net
