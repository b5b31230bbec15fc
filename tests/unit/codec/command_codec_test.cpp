// Owns the tests of packed commands: exact both ways, and closed to what is out of range.
#include "common/codec/command_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "common/core/limits.h"
#include "common/core/rng.h"

namespace orrery {
namespace {

std::vector<std::uint8_t> packed(const Command& command) {
  std::vector<std::uint8_t> bytes;
  ByteWriter out(bytes);
  encode_command(command, out);
  return bytes;
}

std::optional<Command> unpacked(const std::vector<std::uint8_t>& bytes) {
  ByteReader in(bytes);
  const std::optional<Command> command = decode_command(in);
  return command && in.at_end() ? command : std::nullopt;
}

// One of each kind, with the largest fields that there are.
std::vector<Command> one_of_each() {
  const ClientId client{limits::kClientsMax};
  const Sequence sequence{std::numeric_limits<std::uint32_t>::max()};
  const BodyId body{std::numeric_limits<std::uint32_t>::max()};
  const Vec3f v{1.5f, -0.0f, 1e-40f};
  std::vector<Command> commands;
  for (const CommandPayload& payload :
       {CommandPayload(command::Thrust{body, v}), CommandPayload(command::Torque{body, v}),
        CommandPayload(command::Impulse{body, v}), CommandPayload(command::Grab{body, v, v}),
        CommandPayload(command::Move{v}), CommandPayload(command::Release{}),
        CommandPayload(command::Spawn{body.value, v, v}), CommandPayload(command::Remove{body}),
        CommandPayload(command::SetParameter{Parameter::gravitational_constant, v}),
        CommandPayload(command::Join{ClientId{3}, Role::admin}),
        CommandPayload(command::Leave{ClientId{3}})}) {
    commands.push_back({client, sequence, payload});
  }
  return commands;
}

TEST(CommandCodec, EveryKindComesBackWithTheSameBytes) {
  const std::vector<Command> commands = one_of_each();
  ASSERT_EQ(commands.size(), std::variant_size_v<CommandPayload>);
  for (std::size_t kind = 0; kind < commands.size(); ++kind) {
    const std::vector<std::uint8_t> bytes = packed(commands[kind]);
    EXPECT_LE(bytes.size(), kCommandBytesMax);
    const std::optional<Command> back = unpacked(bytes);
    ASSERT_TRUE(back) << kind;
    EXPECT_EQ(back->payload.index(), kind);
    EXPECT_EQ(packed(*back), bytes) << kind;
  }
}

// The bytes of schema/README.md, written by hand.
TEST(CommandCodec, BytesAreAsSpecified) {
  const Command move{ClientId{2}, Sequence{300}, command::Move{{1, -2, 0.5f}}};
  const std::vector<std::uint8_t> expected = {4, 2, 0xAC, 0x02, 0, 0, 0x80, 0x3F,
                                              0, 0, 0,    0xC0, 0, 0, 0,    0x3F};
  EXPECT_EQ(packed(move), expected);
  const Command join{ClientId{0}, Sequence{1}, command::Join{ClientId{5}, Role::play}};
  EXPECT_EQ(packed(join), (std::vector<std::uint8_t>{9, 0, 1, 5, 1}));
}

TEST(CommandCodec, RefusesEveryCutAndUnknownKinds) {
  for (const Command& command : one_of_each()) {
    const std::vector<std::uint8_t> bytes = packed(command);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(unpacked({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}));
    }
  }
  for (int kind = std::variant_size_v<CommandPayload>; kind < 256; ++kind) {
    std::vector<std::uint8_t> bytes(64, 0);
    bytes[0] = static_cast<std::uint8_t>(kind);
    EXPECT_FALSE(unpacked(bytes)) << kind;
  }
}

// Every float of every kind, by every number that must not enter the world.
TEST(CommandCodec, RefusesNumbersOutOfRange) {
  const float bad[] = {
      std::numeric_limits<float>::quiet_NaN(),     -std::numeric_limits<float>::quiet_NaN(),
      std::numeric_limits<float>::signaling_NaN(), std::numeric_limits<float>::infinity(),
      -std::numeric_limits<float>::infinity(),     std::numeric_limits<float>::max(),
      -std::numeric_limits<float>::max()};
  int refused = 0;
  for (const Command& command : one_of_each()) {
    const std::vector<std::uint8_t> good = packed(command);
    for (const float value : bad) {
      for (std::size_t fields = 0; fields < 2; ++fields) {
        // Vectors stand at the end of a command.
        const std::size_t from_end = 12 * (fields + 1);
        if (good.size() < from_end + 8) continue;
        std::vector<std::uint8_t> bytes(good.begin(),
                                        good.end() - static_cast<std::ptrdiff_t>(from_end));
        ByteWriter out(bytes);
        out.f32(value);
        while (bytes.size() < good.size()) out.u8(0);
        EXPECT_FALSE(unpacked(bytes)) << "kind " << command.payload.index() << " " << value;
        ++refused;
      }
    }
  }
  EXPECT_GE(refused, 7 * 7);
}

TEST(CommandCodec, RefusesIdsRolesAndParametersOutOfRange) {
  EXPECT_FALSE(unpacked({9, 0, 1, 0, 1})) << "nobody joins as client 0";
  EXPECT_FALSE(unpacked({9, 0, 1, 5, 3})) << "role 3";
  EXPECT_FALSE(unpacked({9, 0, 1, 0x81, 0x08, 1})) << "client 1025";
  EXPECT_TRUE(unpacked({9, 0, 1, 0x80, 0x08, 1})) << "client 1024";
  EXPECT_FALSE(unpacked({5, 0x81, 0x08, 1})) << "from client 1025";
  EXPECT_FALSE(unpacked({5, 1, 0x80, 0x80, 0x80, 0x80, 0x10})) << "sequence 2^32";
  std::vector<std::uint8_t> parameter = {8, 1, 1, kParameters};
  parameter.resize(16);
  EXPECT_FALSE(unpacked(parameter)) << "parameter 2";
}

TEST(CommandCodec, RandomBytesNeverGiveWhatCannotBePacked) {
  constexpr std::uint64_t kSeed = 20260117;
  SplitMix64 draw(kSeed);
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    std::vector<std::uint8_t> bytes(draw.below(48));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draw.next());
    if (!bytes.empty() && i % 2 == 0) bytes[0] = static_cast<std::uint8_t>(draw.below(11));
    ByteReader in(bytes);
    const std::optional<Command> command = decode_command(in);
    if (!command) continue;
    ++accepted;
    ASSERT_TRUE(is_in_range(*command)) << "seed " << kSeed << " draw " << i;
    ASSERT_TRUE(unpacked(packed(*command))) << "seed " << kSeed << " draw " << i;
  }
  EXPECT_GT(accepted, 1000) << "the draws never reach what they test; seed " << kSeed;
}

}  // namespace
}  // namespace orrery
