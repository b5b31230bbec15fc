// Tests events, refused commands and answers to rays of clients of the C interface.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/client/api/played_client.h"

namespace orrery::test {
namespace {

// An event, without the numbers that the wire rounds.
using Fact = std::tuple<std::uint64_t, std::int32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                        std::uint32_t>;

Fact fact_of(std::uint64_t tick, const orrery_event& e) {
  return {tick, e.kind, e.a, e.b, e.part_a, e.part_b};
}

orrery_client_options options_of(const char* mode) {
  auto options = sized<orrery_client_options>();
  options.events = 1;
  options.follow = std::string(mode) == "follow";
  options.plain = std::string(mode) == "plain";
  return options;
}

// Appends all events that wait.
void read_events(PlayedClient& session, std::vector<Fact>& heard) {
  std::vector<orrery_event> events(4, sized<orrery_event>());
  for (;;) {
    std::uint32_t count = 0;
    std::uint64_t tick = 0;
    const std::int32_t code =
        orrery_client_events(session.client.get(), events.data(),
                             static_cast<std::uint32_t>(events.size()), &count, &tick);
    if (code == ORRERY_END) return;
    if (code == ORRERY_SHORT_BUFFER) {
      events.resize(count, sized<orrery_event>());
      continue;
    }
    ASSERT_EQ(code, ORRERY_OK) << error_of(session.client.get());
    for (std::uint32_t i = 0; i < count; ++i) heard.push_back(fact_of(tick, events[i]));
  }
}

// Returns the events of a log, tick by tick. A replay is another path than that which clients use.
std::vector<Fact> logged_events(const std::vector<std::uint8_t>& bytes, std::uint64_t first,
                                std::uint64_t last) {
  orrery_log* opened = nullptr;
  char why[512];
  EXPECT_EQ(orrery_log_from_bytes(bytes.data(), bytes.size(), &opened, why, sizeof why), ORRERY_OK)
      << why;
  const LogHandle log(opened);
  std::vector<Fact> facts;
  for (std::uint64_t tick = first; tick <= last; ++tick) {
    orrery_world* world = nullptr;
    EXPECT_EQ(orrery_log_seek(log.get(), tick, 0, &world), ORRERY_OK) << error_of(log.get());
    const std::uint32_t count = info_of(world).events;
    std::vector<orrery_event> events(count, sized<orrery_event>());
    EXPECT_EQ(orrery_world_events(world, events.data(), count), ORRERY_OK);
    for (const orrery_event& e : events) facts.push_back(fact_of(tick, e));
  }
  return facts;
}

// A program of `frames` a second misses no event, whatever its mode, although each of its frames
// brings several ticks.
TEST(ApiClientNews, EventsEqualThoseOfTheReplayedLog) {
  for (const char* const mode : {"plain", "delta", "follow"}) {
    for (const int frames : {60, 30, 5}) {
      SCOPED_TRACE(std::string(mode) + " at " + std::to_string(frames) + " frames a second");
      PlayedClient session("boxes:20", options_of(mode));
      session.run(60);
      std::vector<Fact> heard;
      const int ticks = 60 / frames;
      for (int i = 0; i < 600; ++i) {
        session.network.now += net::kSecond / 60;
        session.server.tick(session.now());
        if (i % 100 == 50) {  // something to hear of
          const auto push =
              command_on(ORRERY_IMPULSE, 1 + static_cast<std::uint32_t>(i) / 100, 5, 60, 0);
          ASSERT_EQ(orrery_client_command(session.client.get(), &push, session.now()), ORRERY_OK);
        }
        if (i % ticks == ticks - 1) {
          session.pump();
          read_events(session, heard);
        }
      }
      session.run(60);
      read_events(session, heard);
      ASSERT_GT(heard.size(), 50u);
      EXPECT_EQ(heard, logged_events(session.sink.bytes, std::get<0>(heard.front()),
                                     session.world.tick().value));
      EXPECT_EQ(session.stats().events_missed, 0u);
    }
  }
}

TEST(ApiClientNews, AFollowerThatAsksForNoEventsGetsAndMissesNone) {
  auto options = sized<orrery_client_options>();
  options.follow = 1;
  PlayedClient quiet("boxes:20", options);  // asks for no events
  quiet.run(200);
  std::uint32_t count = 0;
  std::uint64_t tick = 0;
  EXPECT_EQ(orrery_client_events(quiet.client.get(), nullptr, 0, &count, &tick), ORRERY_END);
  EXPECT_EQ(quiet.stats().events_missed, 0u);
}

TEST(ApiClientNews, RefusedCommandsComeBackWithTheirNumbers) {
  for (const char* const mode : {"plain", "delta", "follow"}) {
    SCOPED_TRACE(mode);
    PlayedClient session("playground", options_of(mode));
    session.run(60);
    const std::int32_t kinds[] = {ORRERY_IMPULSE, ORRERY_SET_PARAMETER, ORRERY_IMPULSE,
                                  ORRERY_IMPULSE, ORRERY_MOVE};
    const std::uint32_t subjects[] = {37, ORRERY_GRAVITY, 40, 900, 0};
    for (int i = 0; i < 5; ++i) {
      const auto given = command_on(kinds[i], subjects[i], 0, 1, 0);
      ASSERT_EQ(orrery_client_command(session.client.get(), &given, session.now()), ORRERY_OK);
      EXPECT_EQ(session.stats().commands, static_cast<std::uint64_t>(i + 1));
      session.run(2);
    }
    session.run(60);
    std::vector<orrery_refusal> told(3, sized<orrery_refusal>());
    std::uint32_t count = 0;
    ASSERT_EQ(orrery_client_refusals(session.client.get(), told.data(), 3, &count), ORRERY_OK);
    ASSERT_EQ(count, 3u);
    EXPECT_EQ(told[0].command, 2u);
    EXPECT_EQ(told[0].reason, ORRERY_REFUSED_ROLE);
    EXPECT_EQ(told[1].command, 3u);
    EXPECT_EQ(told[1].reason, ORRERY_REFUSED_FIXED);
    EXPECT_EQ(told[2].command, 4u);
    EXPECT_EQ(told[2].reason, ORRERY_REFUSED_NO_BODY);
    EXPECT_GT(told[0].tick, 60u);
    ASSERT_EQ(orrery_client_refusals(session.client.get(), told.data(), 3, &count), ORRERY_OK);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(told[0].command, 5u);
    EXPECT_EQ(told[0].reason, ORRERY_REFUSED_NO_GRAB);
    EXPECT_EQ(orrery_client_refusals(session.client.get(), told.data(), 3, &count), ORRERY_END);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(session.stats().refused, 4u);
    EXPECT_EQ(session.stats().refusals_missed, 0u);
  }
}

// Commands are numbered over all connections of a client.
TEST(ApiClientNews, NumbersOfCommandsGoOnAfterAReconnect) {
  PlayedClient session("playground");
  session.run(60);
  const auto wrong = command_on(ORRERY_IMPULSE, 900, 0, 1, 0);
  const auto give = [&] {
    EXPECT_EQ(orrery_client_command(session.client.get(), &wrong, session.now()), ORRERY_OK);
    session.run(30);
    auto told = sized<orrery_refusal>();
    std::uint32_t count = 0;
    EXPECT_EQ(orrery_client_refusals(session.client.get(), &told, 1, &count), ORRERY_OK);
    return told.command;
  };
  EXPECT_EQ(give(), 1u);
  EXPECT_EQ(give(), 2u);
  session.client_port.keep = true;
  session.run(60 * 6);
  session.client_port.keep = false;
  session.run(180);
  ASSERT_EQ(session.info().phase, ORRERY_CONNECTED) << session.info().problem;
  ASSERT_EQ(session.stats().connections, 2u);
  EXPECT_EQ(give(), 3u);
}

TEST(ApiClientNews, ARayOfAPlainClientHitsWhatTheServerHas) {
  auto options = sized<orrery_client_options>();
  PlayedClient session("playground", options);
  auto ray = sized<orrery_ray>();
  std::uint32_t number = 0;
  EXPECT_EQ(orrery_client_cast_ray(session.client.get(), &ray, 0, &number), ORRERY_NOT_READY);
  session.run(60);
  auto space = sized<orrery_space>();
  space.axes = ORRERY_Z_UP_LEFT;
  space.units = 100;
  ASSERT_EQ(orrery_set_space(session.client.get(), &space), ORRERY_OK);
  const Vec3 top = session.world.bodies().position(37);
  ray.origin[0] = 100 * top.x;
  ray.origin[1] = 100 * top.z;
  ray.origin[2] = 100 * (top.y + 20);
  ray.along[2] = -4000;
  ASSERT_EQ(orrery_client_cast_ray(session.client.get(), &ray, session.now(), &number), ORRERY_OK)
      << error_of(session.client.get());
  EXPECT_EQ(number, 1u);
  ray.along[2] = 4000;
  ASSERT_EQ(orrery_client_cast_ray(session.client.get(), &ray, session.now(), &number), ORRERY_OK);
  EXPECT_EQ(number, 2u);
  session.run(20);
  auto hit = sized<orrery_hit>();
  std::uint64_t tick = 0;
  ASSERT_EQ(orrery_client_hit(session.client.get(), &hit, &number, &tick), ORRERY_OK);
  EXPECT_EQ(number, 1u);
  EXPECT_GT(tick, 50u);
  EXPECT_EQ(hit.hits, 1u);
  EXPECT_EQ(hit.body, 37u);
  EXPECT_NEAR(hit.position[0], 100 * top.x, 1e-6);
  EXPECT_GT(hit.position[2], 100 * top.y);
  EXPECT_LT(hit.position[2], 100 * (top.y + 1));
  EXPECT_NEAR(hit.fraction, (100 * (top.y + 20) - hit.position[2]) / 4000, 1e-9);
  ASSERT_EQ(orrery_client_hit(session.client.get(), &hit, &number, &tick), ORRERY_OK);
  EXPECT_EQ(number, 2u);
  EXPECT_EQ(hit.hits, 0u);
  EXPECT_EQ(hit.body, 0u);
  EXPECT_EQ(orrery_client_hit(session.client.get(), &hit, &number, &tick), ORRERY_END);
  ray.origin[0] = std::nan("");
  EXPECT_EQ(orrery_client_cast_ray(session.client.get(), &ray, session.now(), &number),
            ORRERY_BAD_ARGUMENT);
  ray.origin[0] = 0;
  ray.ignores = 1;
  EXPECT_EQ(orrery_client_cast_ray(session.client.get(), &ray, session.now(), &number),
            ORRERY_BAD_ARGUMENT);
}

// The scene of a client as bytes equals that in the log, and makes a world that can be stepped.
TEST(ApiClientNews, TheSceneOfAClientAsBytesIsThatOfTheLog) {
  PlayedClient session("playground");
  session.run(60);
  orrery_world* scene = nullptr;
  ASSERT_EQ(orrery_client_scene(session.client.get(), &scene), ORRERY_OK);
  std::uint64_t size = 0;
  EXPECT_EQ(orrery_world_scene(scene, nullptr, 0, &size), ORRERY_SHORT_BUFFER);
  std::vector<std::uint8_t> bytes(size);
  ASSERT_EQ(orrery_world_scene(scene, bytes.data(), size, &size), ORRERY_OK);
  EXPECT_EQ(orrery_world_scene(scene, bytes.data(), size - 1, &size), ORRERY_SHORT_BUFFER);
  EXPECT_EQ(bytes, opened(session.sink.bytes).header.scene);
  orrery_world* own = nullptr;
  char why[512];
  ASSERT_EQ(orrery_world_from_bytes(bytes.data(), size, &own, why, sizeof why), ORRERY_OK) << why;
  const WorldHandle world(own);
  EXPECT_EQ(orrery_world_step(own, nullptr, 0), ORRERY_OK);
  EXPECT_EQ(info_of(own).tick, 1u);
}

orrery_command text_command(std::int32_t kind, const std::string& key, const std::string& text) {
  auto command = sized<orrery_command>();
  command.kind = kind;
  command.key_size = static_cast<std::uint16_t>(key.size());
  command.bytes_size = static_cast<std::uint16_t>(text.size());
  std::copy(key.begin(), key.end(), command.key);
  std::copy(text.begin(), text.end(), command.bytes);
  return command;
}

// An admin sets a value and gives itself notices. The value is in the world of a follower too.
TEST(ApiClientNews, ValuesAndTellsArrive) {
  for (const char* const mode : {"plain", "delta", "follow"}) {
    SCOPED_TRACE(mode);
    PlayedClient session("boxes:5", options_of(mode), Role::admin);
    session.run(60);
    orrery_client* const client = session.client.get();
    std::uint32_t count = 9;
    EXPECT_EQ(orrery_client_values(client, nullptr, 0, &count), ORRERY_OK);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(orrery_client_notices(client, nullptr, 0, &count), ORRERY_END);
    for (const auto& command :
         {text_command(ORRERY_SET_VALUE, "score", "1:0"), text_command(ORRERY_TELL, "", "goal"),
          text_command(ORRERY_TELL, "", "kick-off")}) {
      ASSERT_EQ(orrery_client_command(client, &command, session.now()), ORRERY_OK)
          << error_of(client);
    }
    session.run(60);
    EXPECT_EQ(orrery_client_values(client, nullptr, 0, &count), ORRERY_SHORT_BUFFER);
    ASSERT_EQ(count, 1u);
    auto value = sized<orrery_value>();
    ASSERT_EQ(orrery_client_values(client, &value, 1, &count), ORRERY_OK);
    EXPECT_EQ(std::string(value.key, value.key + value.key_size), "score");
    EXPECT_EQ(std::string(value.bytes, value.bytes + value.bytes_size), "1:0");
    if (std::string(mode) == "follow") {
      orrery_world* world = nullptr;
      ASSERT_EQ(orrery_client_world(client, &world), ORRERY_OK);
      auto same = sized<orrery_value>();
      ASSERT_EQ(orrery_world_values(world, &same, 1, &count), ORRERY_OK);
      EXPECT_EQ(std::memcmp(&same, &value, sizeof same), 0);
    }
    auto told = sized<orrery_notice>();
    for (const char* const text : {"goal", "kick-off"}) {
      ASSERT_EQ(orrery_client_notices(client, &told, 1, &count), ORRERY_OK);
      ASSERT_EQ(count, 1u);
      EXPECT_EQ(std::string(told.bytes, told.bytes + told.bytes_size), text);
      EXPECT_GT(told.tick, 60u);
    }
    EXPECT_EQ(orrery_client_notices(client, &told, 1, &count), ORRERY_END);
    EXPECT_EQ(session.stats().notices_missed, 0u);
  }
}

// An admin removes itself. It does not return, and the fact has the reason.
TEST(ApiClientNews, AKickAndABanEndTheClient) {
  for (const auto& [kind, failure] :
       {std::pair(ORRERY_KICK, ORRERY_KICKED), std::pair(ORRERY_BAN, ORRERY_BANNED)}) {
    PlayedClient session("boxes:5", options_of("plain"), Role::admin);
    session.run(60);
    orrery_client* const client = session.client.get();
    auto command = text_command(kind, "", std::string(129, 'x'));
    command.subject = 1;
    EXPECT_EQ(orrery_client_command(client, &command, session.now()), ORRERY_BAD_COMMAND);
    command.bytes_size = 128;
    ASSERT_EQ(orrery_client_command(client, &command, session.now()), ORRERY_OK);
    session.run(600);
    auto info = sized<orrery_client_info>();
    ASSERT_EQ(orrery_get_client_info(client, &info), ORRERY_OK);
    EXPECT_EQ(info.phase, ORRERY_ENDED);
    EXPECT_EQ(info.failure, failure);
    EXPECT_TRUE(std::string(info.problem).ends_with(": " + std::string(128, 'x'))) << info.problem;
  }
}

TEST(ApiClientNews, TextsThatAreTooLongAreErrors) {
  PlayedClient session("boxes:5");
  session.run(30);
  auto command = text_command(ORRERY_MESSAGE, "", "hello");
  EXPECT_EQ(orrery_client_command(session.client.get(), &command, session.now()), ORRERY_OK);
  command.bytes_size = 257;
  EXPECT_EQ(orrery_client_command(session.client.get(), &command, session.now()),
            ORRERY_BAD_COMMAND);
  command.bytes_size = 0;
  EXPECT_EQ(orrery_client_command(session.client.get(), &command, session.now()),
            ORRERY_BAD_COMMAND);
  command = text_command(ORRERY_SET_VALUE, "", "no key");
  EXPECT_EQ(orrery_client_command(session.client.get(), &command, session.now()),
            ORRERY_BAD_COMMAND);
}

}  // namespace
}  // namespace orrery::test
