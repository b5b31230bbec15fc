// Decides who may connect: checks connect tokens, and addresses by a challenge.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "common/net/drops.h"
#include "common/net/gate/applicants.h"
#include "common/net/gate/bans.h"
#include "common/net/gate/rate_limit.h"
#include "common/net/gate/tickets.h"
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
  // Creation time of the newest token that earlier runs accepted, in Unix seconds; 0 if unknown. It
  // is later than the start of this run if the clock was set back in between.
  std::uint64_t newest_token = 0;
  std::shared_ptr<Bans> bans = std::make_shared<Bans>();  // tokens and tickets that are refused
};

// A request with a token that the server's key opens.
struct Application {
  PendingClient applicant;
  std::optional<EndReason> refusal;  // why the server does not accept the token
};

// Returns the reason under which a refused request is counted. REQUIRES: the refusal is not `full`.
Drop drop_of(EndReason refusal);

// The admission control of a server. It keeps all state in tables of fixed size, and makes entries
// only for clients with a valid token, so strangers cannot fill them.
class Gate {
 public:
  // REQUIRES: the environment outlives the gate.
  Gate(NetEnvironment& environment, const Access& access, std::uint32_t clients_max,
       Nanoseconds now);

  // Reads a request or a move and checks its token, with the cheap checks first. If the token does
  // not open, returns the reason to drop the packet: no answer is possible, because answers are
  // sealed with a key in the token.
  std::variant<Application, Drop> read_request(const Address& from, Bytes datagram,
                                               PacketType type = PacketType::request);
  // Adds an applicant. Returns the reason to drop its request, or nothing. REQUIRES: read_request()
  // returned it without a refusal; no client of another account is connected at its address.
  std::optional<Drop> add(PendingClient applicant, Nanoseconds now);
  // Returns the applicant that sent a response, with the address of the response, or the reason to
  // drop the response. REQUIRES: decode_prefix(datagram) returned `prefix`, of type response.
  std::variant<PendingClient, Drop> read_response(const Address& from, const PacketPrefix& prefix,
                                                  Bytes datagram);
  // Returns true if another connection from the network of this address may be made now, and counts
  // it: at most kConnectionsPerSecond a second. REQUIRES: a response came from the address, so that
  // nobody else can use up the limit of its network.
  bool may_connect(const Address& from, Nanoseconds now) { return limit_.take(from, now); }

  // Append a challenge or a denial. A denial uses only the keys of the applicant, which need not
  // have been added.
  void challenge(const PendingClient& applicant, std::vector<std::uint8_t>& out);
  void deny(const PendingClient& applicant, EndReason refusal, std::vector<std::uint8_t>& out);

  // Returns true if the server may send another denial with a reason, and counts it: at most
  // kRefusalsPerSecond a second.
  bool may_explain(Nanoseconds now) { return refusals_.take(now); }
  // Returns true if a text is the challenge for this client, its token and its address.
  bool is_challenge_of(const ChallengeSubject& whom, Bytes text) const {
    return is_challenge(environment_.cipher(), challenge_key_, text, whom);
  }

  // Returns true if the use of the applicant's token can be remembered.
  bool has_room(const PendingClient& applicant) const {
    return applicant.ticket != 0 || !used_.is_full();
  }
  // Turns an applicant into a client: marks its token as used, makes older tickets of the account
  // invalid, and removes the applicant. REQUIRES: has_room(applicant); read_response() returned the
  // applicant.
  void admit(const PendingClient& applicant);

  // Makes a resumption ticket for the owner of a connection, and replaces `message` by the message
  // with it. Returns false if no memory is left for another account.
  bool write_ticket(const TokenOwner& owner, std::vector<std::uint8_t>& message);
  // Makes all tickets of an account invalid.
  void revoke_tickets(std::uint64_t client_id);

  // Returns the creation time of the newest token that this run or an earlier one accepted, in Unix
  // seconds: the value for Access::newest_token of the next run.
  std::uint64_t newest_token() const { return newest_token_; }

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
  std::optional<EndReason> refusal_of(const PrivateToken& token, const PendingClient& applicant);
  bool is_of_this_run(const PrivateToken& token, std::uint64_t expires) const;
  PacketSequences sequences_of(const PrivateToken& token);

  NetEnvironment& environment_;
  const Access access_;
  const PacketSealer sealer_;
  // Start of this run, or the creation time of the newest token of earlier runs if that is later,
  // in Unix seconds.
  const std::uint64_t started_;
  const std::uint64_t run_;       // random in each run; tickets repeat it
  Key challenge_key_{};           // random in each run
  std::uint64_t challenges_ = 0;  // number of challenges made with challenge_key_
  std::uint64_t sequence_;        // sequence of the next packet to an applicant
  ConnectionLimit limit_;
  TokenBucket refusals_;
  UsedTokens used_;
  Tickets tickets_;
  std::uint64_t newest_token_;
  Applicants applicants_;
  Nanoseconds forgot_at_;
};

}  // namespace orrery::net
