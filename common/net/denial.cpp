// Decides the meaning of a denial for the client that receives it.
#include "common/net/denial.h"

namespace orrery::net {

EndReason reason_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::full:
      return EndReason::full;
    case Refusal::expired:
      return EndReason::refused_expired;
    case Refusal::long_life:
      return EndReason::refused_long_life;
    case Refusal::future:
      return EndReason::refused_future;
    case Refusal::other_server:
      return EndReason::refused_server;
    case Refusal::before_start:
      return EndReason::refused_before_start;
    case Refusal::used:
      return EndReason::refused_used;
    case Refusal::gone:
      return EndReason::forgotten;
    case Refusal::superseded:
      break;
  }
  return EndReason::refused_superseded;
}

bool ends_attempt(Refusal refusal, ClientState state) {
  if (refusal == Refusal::full) return true;
  // After a challenge, a refusal is the answer to a late copy of the request. It does not concern
  // the client's response to the challenge.
  if (state != ClientState::requesting) return false;
  // These three refusals may be temporary: the server may accept the token later, when its clock
  // has advanced or the newer connection has ended.
  return refusal != Refusal::long_life && refusal != Refusal::future &&
         refusal != Refusal::superseded;
}

}  // namespace orrery::net
