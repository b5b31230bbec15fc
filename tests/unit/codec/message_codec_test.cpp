// Tests message encoding: round trips, refused values, and damaged bytes that do no harm.
#include "common/codec/message_codec.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "common/codec/command_codec.h"
#include "common/core/limits.h"
#include "common/core/rng.h"
#include "gtest/gtest.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using Buffer = std::vector<std::uint8_t>;

template <class Message>
Buffer encoded(const Message& m) {
  Buffer bytes;
  codec::encode(m, bytes);
  return bytes;
}

codec::message::Welcome welcome() {
  codec::message::Welcome m{ClientId{3}, Role::admin, 60,
                            1.0 / 60,    40,          std::string(limits::kNameBytesMax, 's')};
  m.interest_radius = 25;
  m.frames = {.grid = {.position_step = 0.25, .orientation_bits = 12},
              .gravity = {1, -2, 3},
              .slots = 99,
              .prototypes = 40};
  return m;
}

// Returns a hello, a welcome, a goodbye and an input, by name.
std::map<std::string, Buffer> all_messages() {
  std::map<std::string, Buffer> all;
  all["hello"] = encoded(codec::message::Hello{1, 2, true});
  all["welcome"] = encoded(welcome());
  all["goodbye"] = encoded(codec::message::Goodbye{EndReason::flooded});
  std::vector<codec::message::TimedCommand> commands;
  commands.push_back({Tick{5}, {ClientId{2}, Sequence{1}, command::Thrust{BodyId{3}, {1, 2, 3}}}});
  commands.push_back({Tick{}, {ClientId{2}, Sequence{2}, command::Release{}}});
  codec::encode_input(commands, all["input"]);
  return all;
}

// Runs the decoders of hello, welcome, goodbye and input on the same bytes, and checks the limits
// of each result. Sanitizers find reads out of bounds.
void decode_all(const Buffer& bytes) {
  if (const auto m = codec::decode_hello(bytes)) {
    EXPECT_LE(m->mode, codec::message::Mode::delta);
  }
  if (const auto m = codec::decode_welcome(bytes)) {
    EXPECT_LE(m->role, Role::admin);
    EXPECT_LE(m->scene.size(), limits::kNameBytesMax);
    EXPECT_GE(m->tick_rate, 1u);
    EXPECT_LE(m->tick_rate, limits::kTickRateMax);
    EXPECT_TRUE(m->tick_time >= limits::kTickTimeMin && m->tick_time <= limits::kTickTimeMax);
    for (const char c : m->scene) EXPECT_TRUE(c >= 0x20 && c <= 0x7e);
  }
  if (const auto m = codec::decode_goodbye(bytes)) {
    EXPECT_LE(m->reason, EndReason::banned);
  }
  std::vector<codec::message::TimedCommand> commands;
  const bool sound = codec::decode_input(bytes, ClientId{2}, commands);
  EXPECT_NE(sound, commands.empty());
  EXPECT_LE(commands.size(), limits::kCommandsQueuedMax);
  for (const auto& c : commands) EXPECT_TRUE(codec::is_in_range(c.command));
}

TEST(MessageCodec, RoundTrips) {
  const auto hello =
      codec::decode_hello(encoded(codec::message::Hello{1, 2, true, codec::message::Mode::follow}));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->protocol, 1u);
  EXPECT_EQ(hello->schema, 2u);
  EXPECT_TRUE(hello->events);
  EXPECT_EQ(hello->mode, codec::message::Mode::follow);
  EXPECT_FALSE(
      codec::decode_hello(encoded(codec::message::Hello{1, 2, true, codec::message::Mode{3}})));
  const auto decoded = codec::decode_welcome(encoded(welcome()));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->client, ClientId{3});
  EXPECT_EQ(decoded->role, Role::admin);
  EXPECT_EQ(decoded->tick_time, 1.0 / 60);
  EXPECT_EQ(decoded->scene_bodies, 40u);
  EXPECT_EQ(decoded->scene, welcome().scene);
  EXPECT_EQ(decoded->interest_radius, 25);
  EXPECT_EQ(decoded->frames.grid.position_step, 0.25);
  EXPECT_EQ(decoded->frames.grid.orientation_bits, 12u);
  EXPECT_EQ(decoded->frames.gravity, Vec3(1, -2, 3));
  EXPECT_EQ(decoded->frames.slots, 99u);
  EXPECT_EQ(decoded->frames.prototypes, 40u);
  const auto goodbye =
      codec::decode_goodbye(encoded(codec::message::Goodbye{EndReason::timed_out}));
  ASSERT_TRUE(goodbye);
  EXPECT_EQ(goodbye->reason, EndReason::timed_out);
  EXPECT_TRUE(goodbye->text.empty());
  const auto text = test::bytes_of<command::Reason>(std::string(command::Reason::kBytesMax, 'x'));
  const Buffer kicked = encoded(codec::message::Goodbye{EndReason::kicked, text});
  EXPECT_EQ(codec::decode_goodbye(kicked)->text, text);
  Buffer longer = kicked;  // of 129 bytes
  const std::uint8_t size[] = {command::Reason::kBytesMax, 0, 0, 0};
  const auto at = std::search(longer.begin(), longer.end(), std::begin(size), std::end(size));
  ASSERT_NE(at, longer.end());
  ++*at;
  EXPECT_FALSE(codec::decode_goodbye(longer));
}

TEST(MessageCodec, RejectsValuesOutOfRange) {
  const double bad[] = {0, -1, 1e300, std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN()};
  for (const double tick_time : bad) {
    codec::message::Welcome m = welcome();
    m.tick_time = tick_time;
    EXPECT_FALSE(codec::decode_welcome(encoded(m))) << tick_time;
  }
  codec::message::Welcome m = welcome();
  m.scene = "bell \a";
  EXPECT_FALSE(codec::decode_welcome(encoded(m)));
  m = welcome();
  m.client = ClientId{0};
  EXPECT_FALSE(codec::decode_welcome(encoded(m)));
  m = welcome();
  m.tick_rate = limits::kTickRateMax + 1;
  EXPECT_FALSE(codec::decode_welcome(encoded(m)));
}

TEST(MessageCodec, RejectsFramesOutOfRange) {
  const auto decodes = [](auto change) {
    codec::message::Welcome m = welcome();
    change(m);
    return codec::decode_welcome(encoded(m)).has_value();
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(decodes([](auto&) {}));
  for (const double bad : {-1.0, kNan}) {
    EXPECT_FALSE(decodes([bad](auto& m) { m.interest_radius = bad; }));
    EXPECT_FALSE(decodes([bad](auto& m) { m.frames.grid.position_step = bad; }));
  }
  EXPECT_FALSE(decodes([](auto& m) { m.frames.grid.position_step = 0; }));
  EXPECT_FALSE(decodes([](auto& m) { m.frames.grid.position_step = 1e300; }));
  for (const std::uint32_t bits : {codec::kOrientationBitsMin, codec::kOrientationBitsMax}) {
    EXPECT_TRUE(decodes([bits](auto& m) { m.frames.grid.orientation_bits = bits; }));
  }
  EXPECT_FALSE(decodes([](auto& m) { m.frames.grid.orientation_bits = 5; }));
  EXPECT_FALSE(decodes([](auto& m) { m.frames.grid.orientation_bits = 16; }));
  EXPECT_FALSE(decodes([](auto& m) { m.frames.gravity.y = 2.0 * codec::kGridPositionMax; }));
  EXPECT_FALSE(decodes([](auto& m) { m.frames.gravity.z = kNan; }));
  EXPECT_TRUE(decodes([](auto& m) { m.frames.slots = limits::kBodiesMax; }));
  EXPECT_FALSE(decodes([](auto& m) { m.frames.slots = limits::kBodiesMax + 1; }));
}

std::vector<codec::message::TimedCommand> commands_of(ClientId client, std::uint32_t first,
                                                      std::size_t count) {
  std::vector<codec::message::TimedCommand> commands;
  for (std::uint32_t i = 0; i < count; ++i) {
    const command::Grab grab{BodyId{i}, {1, 2, 3}, {4, 5, 6}};
    commands.push_back({Tick{100 + i}, {client, Sequence{first + i}, grab}});
  }
  return commands;
}

TEST(MessageCodec, InputCarriesCommandsInOrder) {
  const auto commands = commands_of(ClientId{2}, 7, 10);
  Buffer bytes;
  ASSERT_EQ(codec::encode_input(commands, bytes), 10u);
  std::vector<codec::message::TimedCommand> decoded;
  ASSERT_TRUE(codec::decode_input(bytes, ClientId{2}, decoded));
  ASSERT_EQ(decoded.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(decoded[i].tick, commands[i].tick);
    EXPECT_EQ(decoded[i].command.sequence, commands[i].command.sequence);
    const auto& grab = std::get<command::Grab>(decoded[i].command.payload);
    EXPECT_EQ(grab.body, BodyId{static_cast<std::uint32_t>(i)});
    EXPECT_EQ(grab.target, (Vec3f{4, 5, 6}));
  }
}

TEST(MessageCodec, InputTakesWhatFitsIntoADatagram) {
  const auto commands = commands_of(ClientId{2}, 1, limits::kCommandsQueuedMax);
  Buffer bytes;
  const std::size_t taken = codec::encode_input(commands, bytes);
  EXPECT_GE(taken, 25u);
  EXPECT_LT(taken, commands.size());
  EXPECT_LE(bytes.size(), limits::kMessageBytesMax);
  std::vector<codec::message::TimedCommand> decoded;
  EXPECT_TRUE(codec::decode_input(bytes, ClientId{2}, decoded));
  EXPECT_EQ(decoded.size(), taken);
}

TEST(MessageCodec, InputOfAnotherClientOrWithGapsIsRejected) {
  std::vector<codec::message::TimedCommand> decoded;
  const auto rejected = [&](const std::vector<codec::message::TimedCommand>& commands) {
    Buffer bytes;
    codec::encode_input(commands, bytes);
    return !codec::decode_input(bytes, ClientId{2}, decoded) && decoded.empty();
  };
  EXPECT_TRUE(rejected(commands_of(ClientId{3}, 1, 2)));
  EXPECT_TRUE(rejected(commands_of(ClientId{2}, 0, 2)));
  auto gap = commands_of(ClientId{2}, 1, 3);
  gap.erase(gap.begin() + 1);
  EXPECT_TRUE(rejected(gap));
}

// A number out of range spoils one command. Its neighbours are read, so that a client whose command
// is malformed can still give others.
TEST(MessageCodec, MarksACommandThatIsOutOfRange) {
  std::vector<codec::message::TimedCommand> commands = commands_of(ClientId{2}, 5, 3);
  for (auto& timed : commands) timed.command.payload = command::Move{{1, 2, 3}};
  Buffer bytes;
  codec::encode_input(commands, bytes);
  const std::uint8_t three[] = {0, 0, 0x40, 0x40};  // the z of a target
  auto at = std::search(bytes.begin(), bytes.end(), std::begin(three), std::end(three));
  at = std::search(at + 4, bytes.end(), std::begin(three), std::end(three));
  ASSERT_NE(at, bytes.end());
  const std::uint8_t tops[] = {0x7f, 0xff, 0x79};  // not a number, and 8e34
  for (const std::uint8_t top : tops) {
    at[3] = top;
    at[2] = top == 0x79 ? 0x80 : 0xc0;
    std::vector<codec::message::TimedCommand> decoded;
    ASSERT_TRUE(codec::decode_input(bytes, ClientId{2}, decoded));
    ASSERT_EQ(decoded.size(), 3u);
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(decoded[i].malformed, i == 1);
      EXPECT_EQ(decoded[i].command.sequence, Sequence{5 + i});
      EXPECT_TRUE(codec::is_in_range(decoded[i].command));
    }
  }
}

TEST(MessageCodec, EverySingleBitFlipAndTruncationIsHarmless) {
  for (const auto& [name, bytes] : all_messages()) {
    SCOPED_TRACE(name);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      Buffer flipped = bytes;
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      decode_all(flipped);
    }
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      decode_all(Buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    }
  }
}

TEST(MessageCodec, RandomDamageIsHarmless) {
  SplitMix64 random(42);
  const auto messages = all_messages();
  for (int i = 0; i < 200000; ++i) {
    auto at = messages.begin();
    std::advance(at, random.below(static_cast<std::uint32_t>(messages.size())));
    Buffer bytes = at->second;
    for (std::uint32_t n = random.below(8) + 1; n > 0; --n) {
      const std::uint32_t place = random.below(static_cast<std::uint32_t>(bytes.size()));
      bytes[place] = static_cast<std::uint8_t>(random.next());
    }
    decode_all(bytes);
  }
  decode_all(Buffer(limits::kMessageBytesMax + 8));
}

}  // namespace
}  // namespace orrery
