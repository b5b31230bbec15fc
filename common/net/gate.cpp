// Owns the order in which a request is looked at: what is cheap first.
#include "common/net/gate.h"

#include <algorithm>

namespace orrery {
namespace {

// Room for tokens and for applicants, for each client that may be connected.
constexpr std::uint32_t kTokensPerClient = 8;
constexpr std::uint32_t kApplicantsPerClient = 4;

constexpr Nanoseconds kForgetInterval = kSecond;

// Sequences up to 2^63 are those of connections. The start is drawn, so that none comes twice under
// one key in two runs either.
std::uint64_t first_sequence(NetEnvironment& environment) {
  return (std::uint64_t{1} << 63) + (environment.random() >> 2);
}

}  // namespace

Gate::Gate(NetEnvironment& environment, const Access& access, std::uint32_t clients_max,
           Nanoseconds now)
    : environment_(environment),
      access_(access),
      sealer_(environment.cipher(), access.protocol_id),
      first_expiry_(access.key_is_fresh ? 0 : unix_seconds() + access.token_life + 1),
      sequence_(first_sequence(environment)),
      limit_(environment, now),
      used_(kTokensPerClient * clients_max, environment),
      applicants_(kApplicantsPerClient * clients_max, environment),
      forgot_at_(now) {
  for (std::size_t i = 0; i < challenge_key_.size(); i += 8) {
    store_little_endian<8>(challenge_key_.data() + i, environment.random());
  }
}

// A clock that was set back stands still: tokens that were forgotten as expired stay so.
std::uint64_t Gate::unix_seconds() {
  unix_seconds_ = std::max(unix_seconds_, environment_.unix_seconds());
  return unix_seconds_;
}

// What needs no opening.
std::optional<Drop> Gate::refuse_early(const Request& request, std::uint64_t unix_seconds) const {
  const TokenHead& head = request.head;
  if (head.protocol_id != access_.protocol_id) return Drop::bad_token;
  if (head.expires <= unix_seconds || head.expires - unix_seconds > access_.token_life ||
      head.expires < first_expiry_) {
    return Drop::expired_token;
  }
  return std::nullopt;
}

std::variant<const Applicant*, Drop> Gate::read_request(const Address& from, Bytes datagram,
                                                        Nanoseconds now) {
  const auto request = decode_request(datagram);
  if (!request) return Drop::malformed;
  const std::uint64_t unix_now = unix_seconds();
  if (const auto drop = refuse_early(*request, unix_now)) return *drop;
  if (!limit_.take(from, now)) return Drop::flood;
  const auto token =
      open_private_token(environment_.cipher(), access_.key, request->head, request->sealed);
  if (!token || token->user_data[0] > static_cast<std::uint8_t>(Role::admin)) {
    return Drop::bad_token;
  }
  if (!token->servers.contains(access_.address)) return Drop::other_server;
  Applicant applicant{.address = from,
                      .client_id = token->client_id,
                      .role = static_cast<Role>(token->user_data[0]),
                      .timeout_seconds = token->timeout_seconds,
                      .receive_key = token->client_to_server,
                      .send_key = token->server_to_client};
  const Bytes seal = request->sealed.last(kSealBytes);
  std::copy(seal.begin(), seal.end(), applicant.seal.begin());
  if (!used_.admit(applicant.seal, from, request->head.expires)) return Drop::repeated;
  const std::uint64_t left = request->head.expires - unix_now;
  const std::int32_t timeout = token->timeout_seconds;
  const std::uint64_t patience =
      timeout > 0 ? std::min(left, static_cast<std::uint64_t>(timeout)) : left;
  applicant.until = now + patience * kSecond;
  if (Applicant* const known = applicants_.find(from)) {
    *known = applicant;
    return known;
  }
  const Applicant* const added = applicants_.insert(from, applicant);
  if (!added) return Drop::flood;
  return added;
}

void Gate::challenge(const Applicant& applicant, std::vector<std::uint8_t>& out) {
  const ChallengeText text = make_challenge(environment_.cipher(), challenge_key_, challenges_++,
                                            applicant.client_id, applicant.seal);
  sealer_.seal(applicant.send_key, PacketType::challenge, sequence_++, text, out);
}

void Gate::deny(const Applicant& applicant, std::vector<std::uint8_t>& out) {
  sealer_.seal(applicant.send_key, PacketType::denied, sequence_++, {}, out);
}

void Gate::admit(const Applicant& applicant) {
  used_.consume(applicant.seal);
  applicants_.erase(Address(applicant.address));
}

void Gate::update(Nanoseconds now) {
  if (now - forgot_at_ < kForgetInterval) return;
  forgot_at_ = now;
  used_.forget_expired(unix_seconds());
  applicants_.erase_if([&](const Applicant& applicant) { return applicant.until <= now; });
}

}  // namespace orrery
