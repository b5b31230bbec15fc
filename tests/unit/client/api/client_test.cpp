// Tests clients through the C interface, against a server in one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/world/step.h"
#include "tests/unit/client/api/played_client.h"

namespace orrery::test {
namespace {

constexpr std::uint32_t kPose = ORRERY_POSITION | ORRERY_ORIENTATION;

TEST(ApiClient, ShowsBodiesInTheCallersSpace) {
  PlayedClient session("playground");
  EXPECT_EQ(session.info().phase, ORRERY_IDLE);
  EXPECT_EQ(session.info().wants_token, 1u);
  session.run(60);
  const orrery_client_info info = session.info();
  ASSERT_EQ(info.phase, ORRERY_CONNECTED) << info.problem;
  EXPECT_EQ(info.client, 1u);
  EXPECT_EQ(info.role, ORRERY_PLAY);
  EXPECT_EQ(info.tick_rate, 60u);
  EXPECT_STREQ(info.scene, "playground");
  EXPECT_EQ(info.wants_token, 0u);

  const std::uint32_t count = session.frame(ORRERY_VERLET);
  ASSERT_EQ(count, session.world.bodies().count());
  std::vector<double> own(count * 7);
  constexpr std::uint32_t kStride = 7 * sizeof(double);
  ASSERT_EQ(
      orrery_client_read(session.client.get(), kPose | ORRERY_DOUBLE, own.data(), kStride, count),
      ORRERY_OK);
  auto space = sized<orrery_space>();
  space.axes = ORRERY_Z_UP_LEFT;
  space.units = 100;
  ASSERT_EQ(orrery_set_space(session.client.get(), &space), ORRERY_OK);
  std::vector<float> unreal(count * 8);
  ASSERT_EQ(
      orrery_client_read(session.client.get(), kPose, unreal.data(), 8 * sizeof(float), count),
      ORRERY_OK);
  std::vector<std::uint32_t> identities(count * 2);
  std::vector<orrery_shown_body> bodies(count, sized<orrery_shown_body>());
  ASSERT_EQ(orrery_client_read(session.client.get(), ORRERY_IDENTITY, identities.data(), 8, count),
            ORRERY_OK);
  ASSERT_EQ(orrery_client_bodies(session.client.get(), bodies.data(), count), ORRERY_OK);
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_EQ(identities[2 * i], bodies[i].id);
    EXPECT_EQ(identities[2 * i + 1], bodies[i].scene_body);
    const double* const a = &own[i * 7];
    const float* const b = &unreal[i * 8];
    EXPECT_FLOAT_EQ(b[0], static_cast<float>(100 * a[0]));
    EXPECT_FLOAT_EQ(b[1], static_cast<float>(100 * a[2]));
    EXPECT_FLOAT_EQ(b[2], static_cast<float>(100 * a[1]));
    EXPECT_FLOAT_EQ(b[6], static_cast<float>(a[6]));
    EXPECT_EQ(b[7], 0);  // between the rows
  }
}

TEST(ApiClient, TheSceneDescribesEveryBody) {
  PlayedClient session("playground");
  orrery_world* scene = nullptr;
  EXPECT_EQ(orrery_client_scene(session.client.get(), &scene), ORRERY_NOT_READY);
  EXPECT_EQ(scene, nullptr);
  session.run(60);
  ASSERT_EQ(orrery_client_scene(session.client.get(), &scene), ORRERY_OK);
  const std::uint32_t count = session.frame(ORRERY_INTERPOLATE);
  std::vector<orrery_shown_body> bodies(count, sized<orrery_shown_body>());
  ASSERT_EQ(orrery_client_bodies(session.client.get(), bodies.data(), count), ORRERY_OK);
  int named = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_EQ(bodies[i].quality, ORRERY_INTERPOLATED);
    auto body = sized<orrery_body>();
    ASSERT_EQ(orrery_get_body(scene, bodies[i].scene_body, &body), ORRERY_OK);
    const auto& declared = session.world.scene().bodies[slot_of(BodyId{bodies[i].id})];
    EXPECT_EQ(body.kind, static_cast<std::int32_t>(declared.kind));
    EXPECT_EQ(body.name, session.world.scene().names[slot_of(BodyId{bodies[i].id})]);
    named += body.name[0] != '\0';
  }
  EXPECT_GT(named, 0);
  EXPECT_EQ(orrery_world_step(scene, nullptr, 0), ORRERY_READ_ONLY);
  orrery_world_destroy(scene);  // ignored: the client owns it
  EXPECT_EQ(info_of(scene).tick, 0u);
}

TEST(ApiClient, ACommandMovesABody) {
  PlayedClient session("playground");
  orrery_command push = command_on(ORRERY_IMPULSE, 37, 0, 60, 0);
  EXPECT_EQ(orrery_client_command(session.client.get(), &push, 0), ORRERY_NOT_READY);
  session.run(30);
  const double before = session.world.bodies().position(37).y;
  auto wrong = push;
  wrong.first[1] = std::nanf("");
  EXPECT_EQ(orrery_client_command(session.client.get(), &wrong, session.now()), ORRERY_BAD_COMMAND);
  wrong = join();
  EXPECT_EQ(orrery_client_command(session.client.get(), &wrong, session.now()), ORRERY_BAD_COMMAND);
  push.client = 77;  // ignored: the server knows the client
  ASSERT_EQ(orrery_client_command(session.client.get(), &push, session.now()), ORRERY_OK);
  session.run(20);
  EXPECT_GT(session.world.bodies().position(37).y, before + 1);
  int given = 0;
  while (orrery_client_command(session.client.get(), &push, session.now()) == ORRERY_OK) ++given;
  EXPECT_EQ(given, static_cast<int>(limits::kCommandsQueuedMax));
  EXPECT_EQ(orrery_client_command(session.client.get(), &push, session.now()), ORRERY_BUSY);
}

TEST(ApiClient, AFollowedWorldIsExact) {
  auto options = sized<orrery_client_options>();
  options.follow = 1;
  PlayedClient session("boxes:20", options);
  orrery_world* world = nullptr;
  EXPECT_EQ(orrery_client_world(session.client.get(), &world), ORRERY_NOT_READY);
  session.run(120);
  ASSERT_EQ(orrery_client_world(session.client.get(), &world), ORRERY_OK);
  const orrery_world_info info = info_of(world);
  EXPECT_GT(info.tick, 100u);
  World replayed(session.world.scene());
  SerialExecutor serial;
  while (replayed.tick().value < info.tick) step(replayed, {}, serial);
  EXPECT_NE(info.hash, 0u);
  EXPECT_EQ(session.stats().diverged, 0u);
  EXPECT_GT(session.stats().ticks_checked, 80u);
  session.frame(ORRERY_FOLLOW);
  EXPECT_EQ(session.shown.tick, static_cast<double>(info.tick));
  std::vector<double> positions(session.shown.bodies * 3);
  ASSERT_EQ(orrery_client_read(session.client.get(), ORRERY_POSITION | ORRERY_DOUBLE,
                               positions.data(), 24, session.shown.bodies),
            ORRERY_OK);
  for (std::uint32_t i = 0; i < session.shown.bodies; ++i) {
    EXPECT_EQ(positions[3 * i + 1], replayed.bodies().position(i).y);
  }
  EXPECT_EQ(orrery_world_step(world, nullptr, 0), ORRERY_READ_ONLY);
  ASSERT_EQ(orrery_client_disconnect(session.client.get(), session.now()), ORRERY_OK);
  auto gone = sized<orrery_world_info>();
  EXPECT_EQ(orrery_get_world_info(world, &gone), ORRERY_BAD_HANDLE);
}

TEST(ApiClient, AsksForAnotherTokenWhenTheConnectionIsLost) {
  PlayedClient session("free:8");
  session.run(60);
  const auto bytes = net::encode_connect_token(session.token(2));
  EXPECT_EQ(orrery_client_connect(session.client.get(), bytes.data(), 2048, session.now()),
            ORRERY_BAD_TOKEN);  // the client wants no token
  session.client_port.keep = true;
  session.gives_tokens = false;
  session.run(60 * 7);
  EXPECT_EQ(session.info().phase, ORRERY_RECONNECTING);
  EXPECT_EQ(session.info().wants_token, 1u);
  EXPECT_NE(std::string(session.info().problem), "");
  session.client_port.keep = false;
  session.run(60);
  EXPECT_EQ(session.info().phase, ORRERY_CONNECTED);  // by a ticket, which needs no token
  session.gives_tokens = true;
  session.run(120);
  EXPECT_EQ(session.info().phase, ORRERY_CONNECTED) << session.info().problem;
  EXPECT_EQ(session.stats().connections, 2u);
}

TEST(ApiClient, GivesEventsOfOneTickAtATime) {
  auto options = sized<orrery_client_options>();
  options.events = 1;
  PlayedClient session("boxes:20", options);
  session.run(200);
  std::uint32_t count = 0;
  std::uint64_t tick = 0;
  std::uint64_t last = 0;
  std::vector<orrery_event> events(1, sized<orrery_event>());
  std::uint64_t total = 0;
  for (;;) {
    const std::int32_t code =
        orrery_client_events(session.client.get(), events.data(),
                             static_cast<std::uint32_t>(events.size()), &count, &tick);
    if (code == ORRERY_END) break;
    if (code == ORRERY_SHORT_BUFFER) {
      ASSERT_GT(count, events.size());
      events.resize(count, sized<orrery_event>());
      continue;
    }
    ASSERT_EQ(code, ORRERY_OK);
    ASSERT_GE(tick, last);
    last = tick;
    total += count;
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_NE(events[i].a, events[i].b);
  }
  EXPECT_GT(total, 20u);
}

TEST(ApiClient, SaysWhyItCannotBeOpened) {
  orrery_client* client = nullptr;
  char why[512];
  EXPECT_EQ(orrery_client_open("nonsense", nullptr, nullptr, &client, why, sizeof why),
            ORRERY_BAD_ADDRESS);
  EXPECT_NE(std::string(why).find("not an address"), std::string::npos) << why;
  EXPECT_EQ(client, nullptr);
  EXPECT_EQ(orrery_client_open("127.0.0.1:1", "/does/not/exist", nullptr, &client, why, sizeof why),
            ORRERY_BAD_TOKEN);
  EXPECT_NE(std::string(why).find("/does/not/exist"), std::string::npos) << why;
  EXPECT_EQ(orrery_client_open(nullptr, nullptr, nullptr, &client, why, sizeof why),
            ORRERY_BAD_ARGUMENT);
  auto options = sized<orrery_client_options>();
  options.command_min = 7;
  options.command_max = 3;
  EXPECT_EQ(orrery_client_create(&options, &client, why, sizeof why), ORRERY_BAD_ARGUMENT);
  options.size = 4;
  EXPECT_EQ(orrery_client_create(&options, &client, why, sizeof why), ORRERY_WRONG_SIZE);
  orrery_client_destroy(nullptr);
}

// Poses belong to a frame. The next change of the client ends the frame.
TEST(ApiClient, ReadsOnlyTheNewestFrame) {
  PlayedClient session("free:8");
  session.run(30);
  std::vector<float> rows(8 * 7);
  const auto read = [&](std::uint32_t what, std::uint32_t capacity) {
    return orrery_client_read(session.client.get(), what, rows.data(), 28, capacity);
  };
  EXPECT_EQ(read(kPose, 8), ORRERY_NOT_READY);
  ASSERT_EQ(session.frame(ORRERY_VERLET), 8u);
  EXPECT_EQ(read(kPose, 8), ORRERY_OK);
  EXPECT_EQ(read(kPose, 7), ORRERY_SHORT_BUFFER);
  EXPECT_EQ(read(ORRERY_VELOCITY, 8), ORRERY_BAD_ARGUMENT);
  session.pump();
  EXPECT_EQ(read(kPose, 8), ORRERY_NOT_READY);
  auto frame = sized<orrery_frame>();
  EXPECT_EQ(orrery_client_frame(session.client.get(), session.now(), 4, &frame),
            ORRERY_BAD_ARGUMENT);
}

}  // namespace
}  // namespace orrery::test
