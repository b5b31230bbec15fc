// Owns who may connect: tokens, challenges, and the clients between the two.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "common/net/connect_token.h"
#include "common/net/drops.h"
#include "common/net/fixed_map.h"
#include "common/net/packet.h"
#include "common/net/rate_limit.h"
#include "common/net/server_sequences.h"
#include "common/net/timing.h"
#include "common/net/used_tokens.h"
#include "common/world/command.h"

namespace orrery {

// Whom a server lets in.
struct Access {
  Key key{};                                       // that tokens are sealed with
  std::uint64_t protocol_id = kDefaultProtocolId;  // that tokens name
  Address address{};                               // by which tokens name this server
  std::uint64_t token_life = kTokenLifeSeconds;    // a token may not have longer left to live
  bool key_is_fresh = false;  // drawn for this run: no token can be older than the server
};

// A client whose token is good, and who has not shown yet that its address receives.
struct Applicant {
  Address address{};
  std::uint64_t client_id = 0;
  Role role = Role::watch;
  std::int32_t timeout_seconds = 0;  // 1 to kTimeoutSecondsMax
  ServerSequences sequences;         // of what its server says to it
  Key receive_key{};
  Key send_key{};
  Seal seal{};                // of its token
  std::uint64_t expires = 0;  // its token, in Unix seconds
  Nanoseconds until = 0;
};

// Nothing is kept of strangers but in tables of fixed size, and only of those with a good token.
class Gate {
 public:
  // The environment outlives the gate.
  Gate(NetEnvironment& environment, const Access& access, std::uint32_t clients_max,
       Nanoseconds now);

  // A request from an address that has no connection: who it is from, or why it is dropped.
  std::variant<const Applicant*, Drop> read_request(const Address& from, Bytes datagram,
                                                    Nanoseconds now);
  // nullptr if there is none with this address.
  const Applicant* find(const Address& address) {
    const std::uint64_t* const account = accounts_.find(address);
    return account ? applicants_.find(*account) : nullptr;
  }

  // Appends an answer to an applicant's request; or that there is no room, also to its response.
  void challenge(const Applicant& applicant, std::vector<std::uint8_t>& out);
  void deny(const Applicant& applicant, std::vector<std::uint8_t>& out);

  // Whether the text of a response shows that the applicant receives what is sent to it.
  bool is_answered(const Applicant& applicant, Bytes text) const {
    return is_challenge(environment_.cipher(), challenge_key_, text,
                        {applicant.client_id, applicant.seal, applicant.address});
  }

  // Whether there is room to remember one more token that was used.
  bool has_room() const { return !used_.is_full(); }
  // The applicant has become a client: its token is used, and it is no applicant any more. There is
  // room.
  void admit(const Applicant& applicant);

  // Forgets applicants and tokens whose time is over.
  void update(Nanoseconds now);

  // Whether a token made now would be let in: with a key that earlier runs had, from the second
  // after the start on.
  bool takes_new_tokens() const {
    return access_.key_is_fresh || environment_.unix_seconds() > started_;
  }

  const PacketSealer& sealer() const { return sealer_; }

 private:
  std::optional<Drop> refuse_unread(const TokenHead& head, std::uint64_t unix_seconds) const;
  std::optional<Drop> refuse(const PrivateToken& token, std::uint64_t expires,
                             std::uint64_t unix_seconds) const;
  bool is_of_this_run(const PrivateToken& token, std::uint64_t expires) const;
  std::variant<const Applicant*, Drop> take_in(const Applicant& applicant, Nanoseconds now);
  void forget(const Applicant& applicant);

  NetEnvironment& environment_;
  const Access access_;
  const PacketSealer sealer_;
  const std::uint64_t started_;   // in Unix seconds
  Key challenge_key_{};           // of this run
  std::uint64_t challenges_ = 0;  // made with it
  std::uint64_t sequence_;        // of what is said to applicants
  RequestLimit limit_;
  UsedTokens used_;
  FixedMap<std::uint64_t, Applicant> applicants_;  // by account: the client id of their tokens
  FixedMap<Address, std::uint64_t> accounts_;      // of applicants, by address
  Nanoseconds forgot_at_;
};

}  // namespace orrery
