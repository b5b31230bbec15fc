// Lists the reasons for which the connection of an honest client may end.
#pragma once

#include "common/net/client_endpoint.h"

namespace orrery::fleet {

inline bool is_fair_end(net::EndReason reason) {
  switch (reason) {
    case net::EndReason::asked:
    case net::EndReason::no_answer:
    case net::EndReason::timed_out:
    case net::EndReason::token_expired:
    case net::EndReason::dropped:
    case net::EndReason::forgotten:       // the server dropped it, or started again
    case net::EndReason::server_stopped:  // the default if the packet with the reason was lost
    // The clock of the server is wrong, or was ahead; or the token is older than a restart.
    case net::EndReason::refused_expired:
    case net::EndReason::refused_long_life:
    case net::EndReason::refused_future:
    case net::EndReason::refused_before_start:
    case net::EndReason::refused_used:
      return true;
    default:
      return false;
  }
}

}  // namespace orrery::fleet
