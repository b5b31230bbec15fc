// Tests the meaning of a denial for the client that receives it.
#include "common/net/denial.h"

#include <gtest/gtest.h>

#include <array>

#include "common/net/gate/gate.h"

namespace orrery {
namespace {

using net::ClientState;

// A full server has no slot, whatever the client waits for. Another refusal counts only before the
// challenge, and not if the server may accept the token later.
TEST(Denial, EndsAnAttemptThatCannotSucceed) {
  const std::pair<EndReason, bool> table[] = {{EndReason::full, true},
                                              {EndReason::refused_expired, true},
                                              {EndReason::refused_long_life, false},
                                              {EndReason::refused_future, false},
                                              {EndReason::refused_server, true},
                                              {EndReason::refused_before_start, true},
                                              {EndReason::refused_used, true},
                                              {EndReason::refused_superseded, false},
                                              {EndReason::refused_banned, true}};
  for (const auto& [refusal, ends] : table) {
    EXPECT_EQ(net::ends_attempt(refusal, ClientState::requesting), ends);
    EXPECT_EQ(net::ends_attempt(refusal, ClientState::responding), refusal == EndReason::full);
  }
}

// The numbers of wire.md 4.7. Only `forgotten` also has the place of the server.
TEST(Denial, EachReasonOfTheListHasANumberAndADrop) {
  for (std::uint8_t number = 1; number < kDenialReasons; ++number) {
    const EndReason reason = denial_reason(number);
    const std::array<std::uint8_t, 2> text{denial_number(reason), 3};
    const std::size_t size = reason == EndReason::forgotten ? 2 : 1;
    const auto denial = net::decode_denial(Bytes(text.data(), size));
    ASSERT_TRUE(denial) << name_of(reason);
    EXPECT_EQ(denial->reason, reason);
    EXPECT_FALSE(net::decode_denial(Bytes(text.data(), 3 - size))) << name_of(reason);
    net::drop_of(reason);  // stops the process if a reason is missing there
  }
  EXPECT_EQ(net::decode_denial({})->reason, denial_reason(0));
  const std::array<std::uint8_t, 1> unknown{kDenialReasons};
  EXPECT_FALSE(net::decode_denial(unknown));
}

}  // namespace
}  // namespace orrery
