// Decides who may connect: checks connect tokens, and addresses by a challenge.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "common/net/channel/link.h"
#include "common/net/channel/packet_sequences.h"
#include "common/net/drops.h"
#include "common/net/fixed_map.h"
#include "common/net/gate/rate_limit.h"
#include "common/net/gate/used_tokens.h"
#include "common/net/packet/connect_token.h"
#include "common/net/packet/packet.h"
#include "common/net/timing.h"
#include "common/world/command.h"

namespace orrery::net {

// The rules by which a server accepts tokens.
struct Access {
  Key key{};                                       // seals the private parts of tokens
  std::uint64_t protocol_id = kDefaultProtocolId;  // protocol id that tokens must have
  Address address{};  // public address of this server; tokens must name it
  std::uint64_t token_life = kTokenLifeSeconds;  // maximum remaining life of a token, in seconds
  bool key_is_fresh = false;  // the key is new in this run, so no token is older than the server
};

// An applicant: a client with a valid token that has not yet answered its challenge.
struct PendingClient {
  Address address{};
  std::uint64_t client_id = 0;
  Role role = Role::watch;
  std::int32_t timeout_seconds = 0;  // silence that ends the connection, 1 to kTimeoutSecondsMax
  PacketSequences sequences{};       // sequences of the server's packets to the connected client
  LinkKeys keys{};                   // keys of the server's side
  Seal seal{};                       // tag of its token's private part; identifies the token
  // When its token was created, or the earliest possible time if the token does not say, in Unix
  // seconds.
  std::uint64_t created = 0;
  std::uint64_t expires = 0;  // when its token expires, in Unix seconds
  // Time at which the gate forgets the client.
  Nanoseconds until = 0;
};

// A request with a token that the server's key opens.
struct Application {
  PendingClient applicant;
  std::optional<Refusal> refusal;  // why the server does not accept the token
};

// Returns the reason under which a refused request is counted. REQUIRES: the refusal is not `full`.
Drop drop_of(Refusal refusal);

// The admission control of a server. It keeps all state in tables of fixed size, and makes entries
// only for clients with a valid token, so strangers cannot fill them.
class Gate {
 public:
  // REQUIRES: the environment outlives the gate.
  Gate(NetEnvironment& environment, const Access& access, std::uint32_t clients_max,
       Nanoseconds now);

  // Reads a request and checks its token, with the cheap checks first. If the token does not open,
  // returns the reason to drop the request: no answer is possible, because answers are sealed with
  // a key in the token.
  std::variant<Application, Drop> read_request(const Address& from, Bytes datagram);
  // Adds an applicant. Returns it, or the reason to drop its request. REQUIRES: read_request()
  // returned it without a refusal; no client of another account is connected at its address.
  std::variant<const PendingClient*, Drop> add(PendingClient applicant, Nanoseconds now);
  // Returns the applicant at an address, or nullptr.
  const PendingClient* find(const Address& address) {
    const std::uint64_t* const account = accounts_.find(address);
    return account ? applicants_.find(*account) : nullptr;
  }

  // Append a challenge or a denial. A denial uses only the keys of the applicant, which need not
  // have been added.
  void challenge(const PendingClient& applicant, std::vector<std::uint8_t>& out);
  void deny(const PendingClient& applicant, Refusal refusal, std::vector<std::uint8_t>& out);

  // Returns true if the server may send another denial with a reason, and counts it: at most
  // kRefusalsPerSecond a second.
  bool may_explain(Nanoseconds now) { return refusals_.take(now); }

  // Returns true if the text of a response is the challenge of this applicant. Such a response
  // proves that the applicant receives datagrams at its address.
  bool is_challenge_answer(const PendingClient& applicant, Bytes text) const {
    return is_challenge(environment_.cipher(), challenge_key_, text,
                        {applicant.client_id, applicant.seal, applicant.address});
  }

  // Returns true if another used token can be remembered.
  bool has_room() const { return !used_.is_full(); }
  // Turns an applicant into a client: marks its token as used and removes the applicant. REQUIRES:
  // has_room().
  void admit(const PendingClient& applicant);

  // Forgets expired applicants and tokens, at most once a second.
  void update(Nanoseconds now);

  // Returns true if the gate would accept a token created now. If the key is older than this run,
  // an earlier run may have accepted tokens of the second in which this run started. The gate then
  // accepts only tokens created after that second.
  bool takes_new_tokens() const {
    return access_.key_is_fresh || environment_.unix_seconds() > started_;
  }

  // Returns the sealer of this server's packets.
  const PacketSealer& sealer() const { return sealer_; }

 private:
  // Returns why the token is not accepted now, or nothing if it is.
  std::optional<Refusal> refusal_of(const PrivateToken& token, const PendingClient& applicant);
  bool is_of_this_run(const PrivateToken& token, std::uint64_t expires) const;
  void remove_pending(const PendingClient& applicant);

  NetEnvironment& environment_;
  const Access access_;
  const PacketSealer sealer_;
  const std::uint64_t started_;   // start of this run, in Unix seconds
  Key challenge_key_{};           // random in each run
  std::uint64_t challenges_ = 0;  // number of challenges made with challenge_key_
  std::uint64_t sequence_;        // sequence of the next packet to an applicant
  RequestLimit limit_;
  TokenBucket refusals_;
  UsedTokens used_;
  FixedMap<std::uint64_t, PendingClient> applicants_;  // key: account, the client id of the token
  FixedMap<Address, std::uint64_t> accounts_;          // account of the applicant at an address
  Nanoseconds forgot_at_;
};

}  // namespace orrery::net
