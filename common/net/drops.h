// Lists the reasons for which a server drops a datagram.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::net {

// One row for each reason: its name, and its meaning for an operator, in Markdown.
// clang-format off
#define ORRERY_DROPS(DROP)                                                                         \
  DROP(malformed,                                                                                  \
       "Datagrams that are not packets of the protocol, and packets with invalid messages.")       \
  DROP(misdirected, "Packets that only a server sends.")                                           \
  DROP(stranger, "Packets from an address without a connection.")                                  \
  /* From the address of a client or applicant. */                                                 \
  DROP(impostor, "Packets that are not sealed with the key of their connection.")                  \
  /* Also packets too old for the replay window, or from an address that a client just left. */    \
  DROP(repeated,                                                                                   \
       "Packets received before, and tokens that already started a connection. Each client that "  \
       "leaves adds some, because it sends its disconnect packet ten times.")                      \
  DROP(bad_token, "Tokens of another key or protocol id, damaged and forged ones.")                \
  DROP(expired_token,                                                                              \
       "Tokens that expired, were made in the future, or are valid for longer than "               \
       "`--token-life`. Check the clocks.")                                                        \
  DROP(token_before_start,                                                                         \
       "Tokens from before the start of the server. The previous run may already have accepted "   \
       "them.")                                                                                    \
  DROP(other_server, "Tokens that do not list the address of this server. Check `--public`.")      \
  /* Also while the newer token is being challenged, and responses from a connected address. */    \
  DROP(connected,                                                                                  \
       "Requests from the address of another client, and requests with an older token than that "  \
       "of the client's connection.")                                                              \
  DROP(flood, "Datagrams and queries over a rate limit, and requests while a table is full.")      \
  DROP(false_ack,                                                                                  \
       "Acknowledgements of messages that the server never sent. Each ends a connection "          \
       "(`client left`, reason `false_ack`).")                                                     \
  DROP(banned, "Requests with the token of a client id that is banned from the session.")
// clang-format on

// A reason for which a server drops a datagram. NetCounters counts each of them.
enum class Drop : std::uint8_t {
#define ORRERY_DROP_ID(id, meaning) id,
  ORRERY_DROPS(ORRERY_DROP_ID)
#undef ORRERY_DROP_ID
};

#define ORRERY_DROP_COUNT(id, meaning) +1
inline constexpr std::size_t kDrops = ORRERY_DROPS(ORRERY_DROP_COUNT);
#undef ORRERY_DROP_COUNT

}  // namespace orrery::net
