// Tests the meaning of a denial for the client that receives it.
#include "common/net/denial.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

using net::ClientState;
using net::Refusal;

// A full server has no slot, whatever the client waits for. Another refusal counts only before the
// challenge, and not if the server may accept the token later.
TEST(Denial, EndsAnAttemptThatCannotSucceed) {
  const std::pair<Refusal, bool> table[] = {
      {Refusal::full, true},    {Refusal::expired, true},      {Refusal::long_life, false},
      {Refusal::future, false}, {Refusal::other_server, true}, {Refusal::before_start, true},
      {Refusal::used, true},    {Refusal::superseded, false}};
  for (const auto& [refusal, ends] : table) {
    EXPECT_EQ(net::ends_attempt(refusal, ClientState::requesting), ends);
    EXPECT_EQ(net::ends_attempt(refusal, ClientState::responding), refusal == Refusal::full);
  }
}

TEST(Denial, HasAReasonOfItsOwn) {
  EXPECT_EQ(net::reason_of(Refusal::full), net::EndReason::full);
  EXPECT_EQ(net::reason_of(Refusal::used), net::EndReason::refused_used);
  EXPECT_EQ(net::reason_of(Refusal::superseded), net::EndReason::refused_superseded);
}

}  // namespace
}  // namespace orrery
