// Checks connection requests, with the cheap checks first.
#include "common/net/gate/gate.h"

#include <algorithm>
#include <array>

#include "common/net/packet/ticket.h"

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

// Fills a key or a nonce with random bytes.
template <class Array>
void fill_random(NetEnvironment& environment, Array& bytes) {
  static_assert(sizeof(Array) % 8 == 0);
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    store_little_endian<8>(bytes.data() + i, environment.random());
  }
}

}  // namespace

Drop drop_of(EndReason refusal) {
  switch (refusal) {
    case EndReason::refused_expired:
    case EndReason::refused_long_life:
    case EndReason::refused_future:
      return Drop::expired_token;
    case EndReason::refused_server:
      return Drop::other_server;
    case EndReason::refused_before_start:
      return Drop::token_before_start;
    case EndReason::refused_used:
      return Drop::repeated;
    case EndReason::refused_superseded:
      return Drop::connected;
    case EndReason::refused_banned:
      return Drop::banned;
    case EndReason::forgotten:
      return Drop::stranger;
    default:
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
      started_(std::max(environment.unix_seconds(), access.newest_token)),
      run_(environment.random()),
      sequence_(first_sequence(environment)),
      limit_(environment, now),
      refusals_(kRefusalsPerSecond, kRefusalsPerSecond, now),
      used_(kTokensPerClient * clients_max, environment),
      tickets_(kTokensPerClient * clients_max, environment),
      newest_token_(access.newest_token),
      applicants_(kApplicantsPerClient * clients_max, environment),
      forgot_at_(now) {
  ORRERY_ASSERT(clients_max >= 1);
  fill_random(environment, challenge_key_);
}

std::optional<EndReason> Gate::refusal_of(const PrivateToken& token,
                                          const PendingClient& applicant) {
  const std::uint64_t now = environment_.unix_seconds();
  const std::uint64_t client_id = applicant.owner.client_id;
  if (applicant.expires <= now) return EndReason::refused_expired;
  if (!token.ticket && applicant.expires - now > access_.token_life)
    return EndReason::refused_long_life;
  if (token.servers.index_of(access_.address) == token.servers.size())
    return EndReason::refused_server;
  if (access_.bans->contains(client_id)) return EndReason::refused_banned;
  if (token.ticket) {
    if (token.ticket->run != run_) return EndReason::refused_before_start;
    if (!tickets_.is_valid(client_id, token.ticket->number)) return EndReason::refused_used;
    return std::nullopt;
  }
  if (!is_of_this_run(token, applicant.expires)) return EndReason::refused_before_start;
  // A token with a creation time in the future would seem new after a restart, and could then be
  // used twice. Its client repeats the request until the server's clock reaches the creation time.
  if (applicant.owner.created > now) return EndReason::refused_future;
  if (used_.contains(applicant.seal, applicant.expires)) return EndReason::refused_used;
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

// Returns the sequences of this server under the keys of a token. If an earlier run may have used
// the keys, the first sequence is random. Two runs that accept one token, because the clock was set
// back in between, then do not use the same sequence.
PacketSequences Gate::sequences_of(const PrivateToken& token) {
  const bool is_first_run = access_.key_is_fresh || token.ticket;
  const auto round = is_first_run ? 0 : static_cast<std::uint32_t>(environment_.random());
  return {token.servers.index_of(access_.address), token.servers.size(), round};
}

std::variant<Application, Drop> Gate::read_request(const Address& from, Bytes datagram,
                                                   PacketType type) {
  const auto request = decode_request(datagram, type);
  if (!request) return Drop::malformed;
  const TokenHead& head = request->head;
  if (head.protocol_id != access_.protocol_id) return Drop::bad_token;
  const auto token = open_private_token(environment_.cipher(), access_.key, head, request->sealed);
  if (!token) return Drop::bad_token;
  if (token->user_data[0] > static_cast<std::uint8_t>(Role::admin)) return Drop::bad_token;
  if (token->client_id == 0 && !access_.key_is_fresh) return Drop::bad_token;  // no account is 0
  const std::int32_t said = token->timeout_seconds;
  const std::uint64_t earliest = head.expires - std::min(head.expires, access_.token_life);
  PendingClient applicant{
      .address = from,
      .owner = {.client_id = token->client_id,
                .timeout_seconds =
                    said > 0 ? std::min(said, kTimeoutSecondsMax) : kTimeoutSecondsMax,
                .created =
                    token->ticket ? token->ticket->created : created_of(*token).value_or(earliest),
                .user_data = token->user_data},
      .keys = {.receive = token->client_to_server, .send = token->server_to_client},
      .place = static_cast<std::uint8_t>(token->servers.index_of(access_.address)),
      .ticket = token->ticket ? token->ticket->number : 0,
      .expires = head.expires};
  const Bytes seal = request->sealed.last(kSealBytes);
  std::copy(seal.begin(), seal.end(), applicant.seal.begin());
  const auto refusal = refusal_of(*token, applicant);
  if (!refusal) applicant.sequences = sequences_of(*token);
  return Application{applicant, refusal};
}

std::optional<Drop> Gate::add(PendingClient applicant, Nanoseconds now) {
  if (!has_room(applicant)) return Drop::flood;
  // The token may expire after it was judged, before this line.
  const std::uint64_t unix_now = std::min(environment_.unix_seconds(), applicant.expires);
  ORRERY_ASSERT(applicant.owner.timeout_seconds > 0);
  const auto timeout = static_cast<std::uint64_t>(applicant.owner.timeout_seconds);
  applicant.until = now + std::min(applicant.expires - unix_now, timeout) * kSecond;
  return applicants_.add(applicant);
}

std::variant<PendingClient, Drop> Gate::read_response(const Address& from,
                                                      const PacketPrefix& prefix, Bytes datagram) {
  ORRERY_ASSERT(prefix.type == PacketType::response);
  alignas(16) std::array<std::uint8_t, kPacketBytesMax> buffer;
  Drop reason = applicants_.contains(from) ? Drop::impostor : Drop::stranger;
  const auto applicant = applicants_.find(from, [&](const PendingClient& a) {
    const auto text = sealer_.open(a.keys.receive, prefix, datagram, buffer, from.carrier);
    if (!text) return false;
    reason = Drop::malformed;
    return is_challenge(environment_.cipher(), challenge_key_, *text,
                        {a.owner.client_id, a.seal, from});
  });
  if (!applicant) return reason;
  return *applicant;
}

void Gate::challenge(const PendingClient& applicant, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(challenges_ < PacketSequences::kEnd);  // a sequence must not repeat under the key
  const ChallengeText text =
      make_challenge(environment_.cipher(), challenge_key_, challenges_++,
                     {applicant.owner.client_id, applicant.seal, applicant.address});
  sealer_.seal(applicant.keys.send, PacketType::challenge, sequence_++, text, out,
               applicant.address.carrier);
}

void Gate::deny(const PendingClient& applicant, EndReason refusal, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(applicant.place <= AddressList::kMax);
  const std::array<std::uint8_t, 2> bytes{denial_number(refusal), applicant.place};
  const std::size_t size = refusal == EndReason::full ? 0 : refusal == EndReason::forgotten ? 2 : 1;
  const Bytes text(bytes.data(), size);
  sealer_.seal(applicant.keys.send, PacketType::denied, sequence_++, text, out,
               applicant.address.carrier);
}

void Gate::admit(const PendingClient& applicant) {
  ORRERY_ASSERT(has_room(applicant));
  const TokenOwner& owner = applicant.owner;
  if (applicant.ticket != 0) {
    tickets_.spend(owner.client_id, applicant.ticket);
  } else {
    used_.insert(applicant.seal, applicant.expires);
    newest_token_ = std::max(newest_token_, owner.created);
    tickets_.revoke(owner.client_id);
  }
  applicants_.remove(owner.client_id);
}

bool Gate::write_ticket(const TokenOwner& owner, std::vector<std::uint8_t>& message) {
  const std::uint64_t now = environment_.unix_seconds();
  TokenHead head{access_.protocol_id, now + kTicketLifeSeconds, {}};
  const auto number = tickets_.issue(owner.client_id, head.expires);
  if (!number) return false;
  PrivateToken token{.client_id = owner.client_id,
                     .timeout_seconds = owner.timeout_seconds,
                     .servers = {access_.address},
                     .user_data = owner.user_data,
                     .ticket = TicketMark{run_, *number, owner.created}};
  fill_random(environment_, head.nonce);
  fill_random(environment_, token.client_to_server);
  fill_random(environment_, token.server_to_client);
  message.clear();
  encode_ticket(
      make_connect_token(environment_.cipher(), access_.key, head, now, token, token.servers),
      message);
  return true;
}

void Gate::revoke_tickets(std::uint64_t client_id) {
  tickets_.revoke(client_id);
  const PendingClient* const applicant = applicants_.find(client_id);
  if (applicant && applicant->ticket != 0) applicants_.remove(client_id);
}

void Gate::update(Nanoseconds now) {
  ORRERY_ASSERT(now >= forgot_at_);
  if (now - forgot_at_ < kForgetInterval) return;
  forgot_at_ = now;
  const std::uint64_t unix_now = environment_.unix_seconds();
  used_.forget_expired(unix_now);
  tickets_.forget_expired(unix_now);
  applicants_.forget(now);
}

}  // namespace orrery::net
