// Decides the meaning of a denial for the client that receives it.
#include "common/net/denial.h"

namespace orrery::net {

bool ends_attempt(EndReason refusal, ClientState state) {
  if (refusal == EndReason::full) return true;
  // After a challenge, a refusal is the answer to a late copy of the request. It does not concern
  // the client's response to the challenge.
  if (state != ClientState::requesting) return false;
  // These three refusals may be temporary: the server may accept the token later, when its clock
  // has advanced or the newer connection has ended.
  return refusal != EndReason::refused_long_life && refusal != EndReason::refused_future &&
         refusal != EndReason::refused_superseded;
}

}  // namespace orrery::net
