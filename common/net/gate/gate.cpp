// Checks connection requests, with the cheap checks first.
#include "common/net/gate/gate.h"

#include <algorithm>

namespace orrery::net {
namespace {

// Sizes of tables, per client slot of the server: the table of used tokens, and each of the two
// tables of applicants.
constexpr std::uint32_t kTokensPerClient = 8;
constexpr std::uint32_t kApplicantsPerClient = 4;

constexpr Nanoseconds kForgetInterval = kSecond;

// Packets to applicants use sequences that no connection uses. The first one is random, so that two
// runs do not use the same sequence under one key.
std::uint64_t first_sequence(NetEnvironment& environment) {
  return PacketSequences::kEnd + (environment.random() >> 2);
}

}  // namespace

Drop drop_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::expired:
    case Refusal::long_life:
    case Refusal::future:
      return Drop::expired_token;
    case Refusal::other_server:
      return Drop::other_server;
    case Refusal::before_start:
      return Drop::token_before_start;
    case Refusal::used:
      return Drop::repeated;
    case Refusal::superseded:
      return Drop::connected;
    case Refusal::full:
      break;
  }
  ORRERY_ASSERT(false && "a full server drops nothing");
  return Drop::flood;
}

Gate::Gate(NetEnvironment& environment, const Access& access, std::uint32_t clients_max,
           Nanoseconds now)
    : environment_(environment),
      access_(access),
      sealer_(environment.cipher(), access.protocol_id),
      started_(environment.unix_seconds()),
      sequence_(first_sequence(environment)),
      limit_(environment, now),
      refusals_(kRefusalsPerSecond, kRefusalsPerSecond, now),
      used_(kTokensPerClient * clients_max, environment),
      applicants_(kApplicantsPerClient * clients_max, environment),
      accounts_(kApplicantsPerClient * clients_max, environment),
      forgot_at_(now) {
  ORRERY_ASSERT(clients_max >= 1);
  static_assert(sizeof(Key) % 8 == 0);
  for (std::size_t i = 0; i < challenge_key_.size(); i += 8) {
    store_little_endian<8>(challenge_key_.data() + i, environment.random());
  }
}

std::optional<Refusal> Gate::refusal_of(const PrivateToken& token, const PendingClient& applicant) {
  const std::uint64_t now = environment_.unix_seconds();
  if (applicant.expires <= now) return Refusal::expired;
  if (applicant.expires - now > access_.token_life) return Refusal::long_life;
  if (token.servers.index_of(access_.address) == token.servers.size()) return Refusal::other_server;
  if (!is_of_this_run(token, applicant.expires)) return Refusal::before_start;
  // A token with a creation time in the future would seem new after a restart, and could then be
  // used twice. Its client repeats the request until the server's clock reaches the creation time.
  if (applicant.created > now) return Refusal::future;
  if (used_.contains(applicant.seal, applicant.expires)) return Refusal::used;
  return std::nullopt;
}

// Returns true if the token was created in this run of the server. An older token may have made a
// connection in an earlier run with the same key. A token without a creation time counts as created
// `token_life` before it expires.
bool Gate::is_of_this_run(const PrivateToken& token, std::uint64_t expires) const {
  if (access_.key_is_fresh) return true;
  const auto created = created_of(token);
  return created ? *created > started_ : expires > started_ + access_.token_life;
}

std::variant<Application, Drop> Gate::read_request(const Address& from, Bytes datagram) {
  const auto request = decode_request(datagram);
  if (!request) return Drop::malformed;
  const TokenHead& head = request->head;
  if (head.protocol_id != access_.protocol_id) return Drop::bad_token;
  const auto token = open_private_token(environment_.cipher(), access_.key, head, request->sealed);
  if (!token) return Drop::bad_token;
  if (token->user_data[0] > static_cast<std::uint8_t>(Role::admin)) return Drop::bad_token;
  const std::int32_t said = token->timeout_seconds;
  const std::uint64_t earliest = head.expires - std::min(head.expires, access_.token_life);
  PendingClient applicant{
      .address = from,
      .client_id = token->client_id,
      .role = static_cast<Role>(token->user_data[0]),
      .timeout_seconds = said > 0 ? std::min(said, kTimeoutSecondsMax) : kTimeoutSecondsMax,
      .keys = {.receive = token->client_to_server, .send = token->server_to_client},
      .created = created_of(*token).value_or(earliest),
      .expires = head.expires};
  const Bytes seal = request->sealed.last(kSealBytes);
  std::copy(seal.begin(), seal.end(), applicant.seal.begin());
  const auto refusal = refusal_of(*token, applicant);
  if (!refusal) {
    applicant.sequences =
        PacketSequences(token->servers.index_of(access_.address), token->servers.size());
  }
  return Application{applicant, refusal};
}

// Adds a pending client. The rules keep attackers from filling the table or displacing others:
// - An account has one pending client. A request with another token of the account replaces it,
//   unless the other token is older.
// - An address has one pending client. A request of another account does not displace it.
// - The same token from another address is dropped, because it may have been intercepted.
std::variant<const PendingClient*, Drop> Gate::add(PendingClient applicant, Nanoseconds now) {
  ORRERY_ASSERT(applicant.timeout_seconds >= 1 && applicant.timeout_seconds <= kTimeoutSecondsMax);
  if (used_.is_full()) return Drop::flood;
  const std::uint64_t* const there = accounts_.find(applicant.address);
  if (there && *there != applicant.client_id) return Drop::connected;
  const PendingClient* const known = applicants_.find(applicant.client_id);
  if (known && known->created > applicant.created) return Drop::connected;
  if (known && known->seal == applicant.seal && known->address != applicant.address) {
    return Drop::repeated;
  }
  // The rate limit comes last. Otherwise an attacker could use up the allowance of an address with
  // copies of an old request, sent with that address as a forged source.
  if (!limit_.take(applicant.address, now)) return Drop::flood;
  if (known) remove_pending(*known);
  const std::uint64_t unix_now = environment_.unix_seconds();
  ORRERY_ASSERT(applicant.expires > unix_now);
  const auto timeout = static_cast<std::uint64_t>(applicant.timeout_seconds);
  applicant.until = now + std::min(applicant.expires - unix_now, timeout) * kSecond;
  const PendingClient* const added = applicants_.insert(applicant.client_id, applicant);
  if (!added) return Drop::flood;
  accounts_.insert(applicant.address, applicant.client_id);
  return added;
}

void Gate::remove_pending(const PendingClient& applicant) {
  const std::uint64_t account = applicant.client_id;  // a copy, because erase() destroys it
  ORRERY_ASSERT(applicants_.contains(account));
  accounts_.erase(Address(applicant.address));
  applicants_.erase(account);
}

void Gate::challenge(const PendingClient& applicant, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(challenges_ < PacketSequences::kEnd);  // a sequence must not repeat under the key
  const ChallengeText text =
      make_challenge(environment_.cipher(), challenge_key_, challenges_++,
                     {applicant.client_id, applicant.seal, applicant.address});
  sealer_.seal(applicant.keys.send, PacketType::challenge, sequence_++, text, out,
               applicant.address.carrier);
}

void Gate::deny(const PendingClient& applicant, Refusal refusal, std::vector<std::uint8_t>& out) {
  const auto number = static_cast<std::uint8_t>(refusal);
  const Bytes text = refusal == Refusal::full ? Bytes() : Bytes(&number, 1);
  sealer_.seal(applicant.keys.send, PacketType::denied, sequence_++, text, out,
               applicant.address.carrier);
}

void Gate::admit(const PendingClient& applicant) {
  ORRERY_ASSERT(has_room());
  used_.insert(applicant.seal, applicant.expires);
  remove_pending(applicant);
}

void Gate::update(Nanoseconds now) {
  ORRERY_ASSERT(now >= forgot_at_);
  if (now - forgot_at_ < kForgetInterval) return;
  forgot_at_ = now;
  used_.forget_expired(environment_.unix_seconds());
  applicants_.erase_if([&](const PendingClient& applicant) {
    if (applicant.until > now) return false;
    accounts_.erase(Address(applicant.address));
    return true;
  });
}

}  // namespace orrery::net
