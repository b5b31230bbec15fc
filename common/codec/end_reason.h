// Lists the reasons for which a connection ends or is refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/core/assert.h"

namespace orrery {

// One row for each reason: its name, and the words for people that complete the sentence "The
// server ...". The first list is that of goodbyes, in the order of their numbers on the wire.
// schema/protocol.fbs, schema/wire.md (6.6) and server/OPERATING.md have the same names.
// clang-format off
#define ORRERY_GOODBYE_REASONS(REASON)                                                             \
  REASON(asked, "was asked to end the connection")                                                 \
  REASON(server_stopped, "stopped")                                                                \
  REASON(timed_out, "heard nothing from this client")                                              \
  REASON(flooded, "dropped this client because it sent too much")                                  \
  REASON(other_protocol, "speaks another version of the protocol")                                 \
  REASON(other_schema, "has another schema; build both sides from the same commit")                \
  /* The server has no such mode, or the world is too large for the mode. */                       \
  REASON(other_mode, "cannot let a client follow this world")                                      \
  REASON(too_slow, "dropped this client because it fell too far behind")                           \
  /* Reliable messages of the client do not decode. */                                             \
  REASON(unsound, "did not understand this client")                                                \
  /* A newer connection of the same account took the place of this one. */                         \
  REASON(replaced, "has a newer connection of the same client")                                    \
  REASON(false_ack, "dropped this client because it acknowledged a message that was never sent")   \
  /* By an admin or the rules of the session. Their reason follows. */                             \
  REASON(kicked, "removed this client")                                                            \
  REASON(banned, "removed this client for the rest of the session")

// The reasons of a denial, in the order of their numbers on the wire (schema/wire.md 4.7). Netcode
// 1.02 knows only `full`, which is sent as a denial without a text. Clients that know only the
// standard drop a denial with a text.
#define ORRERY_DENIAL_REASONS(REASON)                                                              \
  REASON(full, "is full")                                                                          \
  REASON(refused_expired, "refused the token: it has expired")                                     \
  REASON(refused_long_life, "refused the token: it is valid for too long")                         \
  REASON(refused_future, "refused the token: it was made in the future")                           \
  REASON(refused_server, "refused the token: it is for another server")                            \
  REASON(refused_before_start,                                                                     \
         "refused the token: the token may be older than the server's last start; get another")    \
  REASON(refused_used, "refused the token: the token was used before; a token admits one client, " \
                       "once; get another")                                                        \
  REASON(refused_superseded,                                                                       \
         "refused the token: the client id of the token is connected with a newer token")          \
  /* Answers a move: the server dropped the connection, or has restarted. */                       \
  REASON(forgotten, "no longer knows this client")                                                 \
  REASON(refused_banned,                                                                           \
         "refused the token: the client id of the token is banned from this session")

// The reasons that a client finds by itself.
#define ORRERY_CLIENT_REASONS(REASON)                                                              \
  REASON(none, "is connected")                                                                     \
  REASON(no_answer, "did not answer")                                                              \
  REASON(silent, "fell silent")                                                                    \
  REASON(token_expired, "did not answer until the token expired")                                  \
  /* Reliable messages of the server do not decode, or it sent false acknowledgements. */          \
  REASON(unsound_server, "sent a message that has no meaning")

#define ORRERY_END_REASONS(REASON)                                                                 \
  ORRERY_GOODBYE_REASONS(REASON) ORRERY_DENIAL_REASONS(REASON) ORRERY_CLIENT_REASONS(REASON)
// clang-format on

// The reason for the end or the refusal of a connection. The server and its clients share the list.
enum class EndReason : std::uint8_t {
#define ORRERY_REASON_ID(id, words) id,
  ORRERY_END_REASONS(ORRERY_REASON_ID)
#undef ORRERY_REASON_ID
};

// A row of the list.
struct EndReasonInfo {
  std::string_view name;   // in schema/ and in log lines
  std::string_view words;  // for people
};

// The row of reason r is at index r.
inline constexpr auto kEndReasons = std::to_array<EndReasonInfo>({
#define ORRERY_REASON_INFO(id, words) {#id, words},
    ORRERY_END_REASONS(ORRERY_REASON_INFO)
#undef ORRERY_REASON_INFO
});

#define ORRERY_REASON_COUNT(id, words) +1
inline constexpr std::size_t kGoodbyeReasons = ORRERY_GOODBYE_REASONS(ORRERY_REASON_COUNT);
inline constexpr std::size_t kDenialReasons = ORRERY_DENIAL_REASONS(ORRERY_REASON_COUNT);
#undef ORRERY_REASON_COUNT

// Returns the name of a reason.
constexpr std::string_view name_of(EndReason reason) {
  return kEndReasons[static_cast<std::size_t>(reason)].name;
}

// Returns a description for people that completes the sentence "The server ...".
constexpr std::string_view describe(EndReason reason) {
  return kEndReasons[static_cast<std::size_t>(reason)].words;
}

// Returns the reason with this number in a denial. REQUIRES: number < kDenialReasons.
constexpr EndReason denial_reason(std::size_t number) {
  ORRERY_ASSERT(number < kDenialReasons);
  return static_cast<EndReason>(kGoodbyeReasons + number);
}

// Returns the number of a reason in a denial. REQUIRES: `reason` is in the list of denials.
constexpr std::uint8_t denial_number(EndReason reason) {
  ORRERY_ASSERT(reason >= denial_reason(0) && reason <= denial_reason(kDenialReasons - 1));
  return static_cast<std::uint8_t>(static_cast<std::size_t>(reason) - kGoodbyeReasons);
}

// Returns true if the server refused the token.
constexpr bool refuses_token(EndReason reason) {
  return (reason >= EndReason::refused_expired && reason <= EndReason::refused_superseded) ||
         reason == EndReason::refused_banned;
}

}  // namespace orrery
