// Lists the reasons for which the connection of an honest client may end.
#pragma once

#include "common/net/client_endpoint.h"

namespace orrery::fleet {

inline bool is_fair_end(EndReason reason) {
  switch (reason) {
    case EndReason::asked:
    case EndReason::no_answer:
    case EndReason::silent:
    case EndReason::token_expired:
    case EndReason::timed_out:
    case EndReason::forgotten:       // the server dropped it, or started again
    case EndReason::server_stopped:  // the default if the packet with the reason was lost
    // The clock of the server is wrong, or was ahead; or the token is older than a restart.
    case EndReason::refused_expired:
    case EndReason::refused_long_life:
    case EndReason::refused_future:
    case EndReason::refused_before_start:
    case EndReason::refused_used:
      return true;
    default:
      return false;
  }
}

}  // namespace orrery::fleet
