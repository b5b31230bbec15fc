// Tests the float mode of a follower, and when a client wants a token, through the C interface.
#include <gtest/gtest.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "tests/unit/client/api/played_client.h"

namespace orrery::test {
namespace {

#ifdef __SSE2__
// Flushes subnormal numbers to zero, as long as it exists.
class FlushedSubnormals {
 public:
  FlushedSubnormals() { _mm_setcsr(before_ | 0x8040); }
  ~FlushedSubnormals() { _mm_setcsr(before_); }
  FlushedSubnormals(const FlushedSubnormals&) = delete;
  FlushedSubnormals& operator=(const FlushedSubnormals&) = delete;

 private:
  const unsigned before_ = _mm_getcsr();
};

// Results of the calls that may step the world of a follower.
struct Results {
  std::int32_t connect;
  std::int32_t receive;
  std::int32_t update;
};

Results calls_of(PlayedClient& session) {
  const FlushedSubnormals flushed;
  orrery_client* const client = session.client.get();
  const auto token = net::encode_connect_token(session.token(2));
  const auto from = sized<orrery_address>();
  const std::uint8_t datagram = 0;
  return {orrery_client_connect(client, token.data(), 2048, session.now()),
          orrery_client_receive(client, &from, &datagram, 1, session.now()),
          orrery_client_update(client, session.now(), 0)};
}

// A follower steps a world, so its thread needs the same float mode as the server. Other clients
// step nothing.
TEST(ApiClientState, OnlyAFollowerRefusesAnotherFloatMode) {
  auto options = sized<orrery_client_options>();
  options.follow = 1;
  PlayedClient follower("boxes:8", options);
  const Results refused = calls_of(follower);
  EXPECT_EQ(refused.connect, ORRERY_FLOAT_MODE);
  EXPECT_EQ(refused.receive, ORRERY_FLOAT_MODE);
  EXPECT_EQ(refused.update, ORRERY_FLOAT_MODE);
  EXPECT_EQ(follower.info().phase, ORRERY_IDLE);
  follower.run(60);
  EXPECT_GT(follower.stats().ticks_checked, 30u);
  EXPECT_EQ(follower.stats().diverged, 0u);

  PlayedClient plain("boxes:8");
  const Results taken = calls_of(plain);
  EXPECT_EQ(taken.connect, ORRERY_OK);
  EXPECT_EQ(taken.receive, ORRERY_OK);
  EXPECT_EQ(taken.update, ORRERY_OK);
}

TEST(ApiClientState, NoClientIsMadeInAnotherFloatMode) {
  orrery_client* client = nullptr;
  char why[512] = "";
  std::int32_t code = ORRERY_OK;
  {
    const FlushedSubnormals flushed;
    code = orrery_client_create(nullptr, &client, why, sizeof why);
  }
  EXPECT_EQ(code, ORRERY_FLOAT_MODE);
  EXPECT_EQ(client, nullptr);
  EXPECT_NE(std::string(why), "");
}
#endif

// A client that has ended wants no token. The program may still connect it again.
TEST(ApiClientState, WantsNoTokenAfterItEnded) {
  PlayedClient session("free:8");
  EXPECT_EQ(session.info().wants_token, 1u);
  session.run(60);
  ASSERT_EQ(session.info().phase, ORRERY_CONNECTED) << session.info().problem;
  EXPECT_EQ(session.info().wants_token, 0u);
  ASSERT_EQ(orrery_client_disconnect(session.client.get(), session.now()), ORRERY_OK);
  session.run(60);
  EXPECT_EQ(session.info().phase, ORRERY_ENDED);
  EXPECT_EQ(session.info().wants_token, 0u);
  ASSERT_EQ(session.give_token(), ORRERY_OK);
  session.run(60);
  EXPECT_EQ(session.info().phase, ORRERY_CONNECTED) << session.info().problem;
  EXPECT_EQ(session.stats().connections, 2u);
}

// The client wants a token while it connects again, and no longer when it has given up.
TEST(ApiClientState, WantsNoTokenAfterItGaveUp) {
  auto options = sized<orrery_client_options>();
  options.reconnect = 10;
  PlayedClient session("free:8", options);
  session.run(60);
  session.gives_tokens = false;
  session.run(60 * 7, false);
  ASSERT_EQ(session.info().phase, ORRERY_RECONNECTING);
  EXPECT_EQ(session.info().wants_token, 1u);
  session.run(60 * 10, false);
  EXPECT_EQ(session.info().phase, ORRERY_ENDED);
  EXPECT_EQ(session.info().wants_token, 0u);
}

}  // namespace
}  // namespace orrery::test
