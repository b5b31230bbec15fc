// Lists the reasons for which a client's connection ends.
#include "common/net/end_reason.h"

#include <array>

#include "common/core/assert.h"

namespace orrery::net {

EndReason reason_of(codec::message::DisconnectReason reason) {
  switch (reason) {
    case codec::message::DisconnectReason::timed_out:
      return EndReason::dropped;
    case codec::message::DisconnectReason::flooded:
      return EndReason::flooded;
    case codec::message::DisconnectReason::other_protocol:
      return EndReason::other_protocol;
    case codec::message::DisconnectReason::other_schema:
      return EndReason::other_schema;
    case codec::message::DisconnectReason::other_mode:
      return EndReason::other_mode;
    case codec::message::DisconnectReason::too_slow:
      return EndReason::too_slow;
    case codec::message::DisconnectReason::unsound:
      return EndReason::unsound_client;
    case codec::message::DisconnectReason::replaced:
      return EndReason::replaced;
    case codec::message::DisconnectReason::false_ack:
      return EndReason::false_ack;
    case codec::message::DisconnectReason::asked:
    case codec::message::DisconnectReason::server_stopped:
      break;
  }
  return EndReason::server_stopped;
}

std::string_view describe(EndReason reason) {
  constexpr std::array<std::string_view, 25> kDescriptions = {
      "is connected",
      "was asked to end the connection",
      "did not answer",
      "fell silent",
      "is full",
      "did not answer until the token expired",
      "speaks another version of the protocol",
      "has another schema; build both sides from the same commit",
      "stopped",
      "heard nothing from this client",
      "dropped this client because it sent too much",
      "cannot let a client follow this world",
      "dropped this client because it fell too far behind",
      "did not understand this client",
      "sent what means nothing",
      "has a newer connection of the same client",
      "dropped this client because it acknowledged what was never sent",
      "no longer knows this client",
      "refused the token: it has expired",
      "refused the token: it is valid for too long",
      "refused the token: it was made in the future",
      "refused the token: it is for another server",
      "refused the token: it is older than the start of the server",
      "refused the token: it was used before",
      "refused the token: the client is connected with a newer one"};
  static_assert(static_cast<std::size_t>(EndReason::refused_superseded) + 1 ==
                kDescriptions.size());
  ORRERY_ASSERT(static_cast<std::size_t>(reason) < kDescriptions.size());
  return kDescriptions[static_cast<std::size_t>(reason)];
}

}  // namespace orrery::net
