// Tests the error of a follower when the session has other rules.
#include "client/lib/follower.h"

#include <gtest/gtest.h>

#include "common/session/follow_messages.h"
#include "common/session/versions.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scenes.h"

namespace orrery {
namespace {

TEST(Follower, OfOtherRulesItSaysWhatFollowsThem) {
  const World world(built_in_scene("tumble").value());
  for (const std::uint32_t rules : {1u, kRulesVersion + 1}) {
    codec::LogHeader header = session::make_log_header(world, "test", {});
    header.rules = rules;
    client::Follower follower;
    follower.take(session::follow_header(header, world.scene()));
    ASSERT_TRUE(follower.error());
    EXPECT_EQ(follower.error()->code, ErrorCode::version);
    EXPECT_EQ(follower.error()->message, "has a session under " + session::other_rules(rules) +
                                             "; without --follow you can watch it and play in it");
  }
}

}  // namespace
}  // namespace orrery
