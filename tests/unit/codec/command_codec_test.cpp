// Tests the command encoding: exact round trips, and refused values and forms.
#include "common/codec/command_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

std::vector<std::uint8_t> packed(const Command& command) {
  std::vector<std::uint8_t> bytes;
  ByteWriter out(bytes);
  codec::CommandSource before;
  codec::encode_command(command, before, out);
  return bytes;
}

std::optional<Command> unpacked(const std::vector<std::uint8_t>& bytes) {
  ByteReader in(bytes);
  codec::CommandSource before;
  const std::optional<Command> command = codec::decode_command(in, before);
  return command && in.at_end() ? command : std::nullopt;
}

// Returns one command of each kind, with the largest client id, sequence and body id.
std::vector<Command> one_of_each() {
  const ClientId client{limits::kClientsMax};
  const Sequence sequence{std::numeric_limits<std::uint32_t>::max()};
  const BodyId body{std::numeric_limits<std::uint32_t>::max()};
  const Vec3f v{1.5f, -0.0f, 1e-40f};
  std::vector<Command> commands;
  for (const CommandPayload& payload :
       {CommandPayload(command::Thrust{body, v}),
        CommandPayload(command::Torque{body, v}),
        CommandPayload(command::Impulse{body, v}),
        CommandPayload(command::Grab{body, v, v}),
        CommandPayload(command::Move{v}),
        CommandPayload(command::Release{}),
        CommandPayload(command::Spawn{body.value, v, v}),
        CommandPayload(command::Remove{body}),
        CommandPayload(command::SetParameter{Parameter::gravitational_constant, v}),
        CommandPayload(command::Join{ClientId{3}, Role::admin}),
        CommandPayload(command::Leave{ClientId{3}}),
        CommandPayload(command::SetControl{body, Control::owner, ~std::uint64_t{0}}),
        CommandPayload(command::Disown{300}),
        CommandPayload(command::SetVelocity{body, v, v}),
        CommandPayload(command::MoveTo{body, v, {0, 0, 0, 1}, 300}),
        CommandPayload(command::Place{body, v, {0, -1, 0, 0}, v, v}),
        CommandPayload(command::SetMotor{300, 1.5f, 0}),
        CommandPayload(command::SetTarget{300, 1.5f, 0, 1.5f, 0}),
        CommandPayload(command::SetValue{test::bytes_of<command::Key>("key"),
                                         test::bytes_of<command::Value>("value")}),
        CommandPayload(command::Message{test::bytes_of<command::Value>("text")}),
        CommandPayload(command::Tell{ClientId{300}, test::bytes_of<command::Value>("text")}),
        CommandPayload(command::SetFilter{body, 300, 3}),
        CommandPayload(command::SetGravityScale{body, 1.5f}),
        CommandPayload(command::Kick{ClientId{300}, test::bytes_of<command::Reason>("text")}),
        CommandPayload(command::Ban{ClientId{300}, {}})}) {
    commands.push_back({client, sequence, payload});
  }
  return commands;
}

TEST(CommandCodec, EveryKindComesBackWithTheSameBytes) {
  const std::vector<Command> commands = one_of_each();
  ASSERT_EQ(commands.size(), std::variant_size_v<CommandPayload>);
  for (std::size_t kind = 0; kind < commands.size(); ++kind) {
    const std::vector<std::uint8_t> bytes = packed(commands[kind]);
    EXPECT_LE(bytes.size(), codec::kCommandBytesMax);
    const std::optional<Command> back = unpacked(bytes);
    ASSERT_TRUE(back) << kind;
    EXPECT_EQ(back->payload.index(), kind);
    EXPECT_EQ(packed(*back), bytes) << kind;
  }
}

// The bytes are written by hand from schema/wire.md 7.1.
TEST(CommandCodec, BytesAreAsSpecified) {
  const Command move{ClientId{2}, Sequence{300}, command::Move{{1, -2, 0.5f}}};
  const std::vector<std::uint8_t> expected = {0x24, 0xAC, 0x02, 0, 0, 0x80, 0x3F, 0,
                                              0,    0,    0xC0, 0, 0, 0,    0x3F};
  EXPECT_EQ(packed(move), expected);
  const Command join{ClientId{0}, Sequence{1}, command::Join{ClientId{5}, Role::play}};
  EXPECT_EQ(packed(join), (std::vector<std::uint8_t>{0xE9, 5, 1}))
      << "the server's first is the next of none";
}

// An account follows the role, to which 4 is added. A join without an account is as it always was.
TEST(CommandCodec, AJoinMayHaveAnAccount) {
  const Command join{ClientId{0}, Sequence{1}, command::Join{ClientId{5}, Role::play, 300}};
  EXPECT_EQ(packed(join), (std::vector<std::uint8_t>{0xE9, 5, 5, 0xAC, 2}));
  const auto back = unpacked(packed(join));
  ASSERT_TRUE(back);
  EXPECT_EQ(std::get<command::Join>(back->payload).account, 300u);
  EXPECT_FALSE(unpacked({0xE9, 5, 5, 0})) << "account 0 is not sent";
  EXPECT_FALSE(unpacked({0xE9, 5, 3})) << "no such role";
  EXPECT_FALSE(unpacked({0xE9, 5, 7, 1})) << "no such role";
  EXPECT_FALSE(unpacked({0xE9, 5, 9})) << "no such bit";
  EXPECT_FALSE(unpacked({0xEC, 0})) << "account 0 owns nothing";
}

// User data come last, and 8 is added to the role.
TEST(CommandCodec, AJoinMayHaveUserData) {
  Command join{ClientId{0}, Sequence{1}, command::Join{ClientId{5}, Role::play, 300}};
  std::get<command::Join>(join.payload).user_data = test::bytes_of<command::Value>("red");
  EXPECT_EQ(packed(join), (std::vector<std::uint8_t>{0xE9, 5, 13, 0xAC, 2, 3, 'r', 'e', 'd'}));
  const auto back = unpacked(packed(join));
  ASSERT_TRUE(back);
  EXPECT_EQ(std::get<command::Join>(back->payload).user_data,
            test::bytes_of<command::Value>("red"));
  EXPECT_TRUE(unpacked({0xE9, 5, 9, 1, 'x'})) << "without an account";
  EXPECT_FALSE(unpacked({0xE9, 5, 9, 0})) << "no bytes are not sent";
  EXPECT_FALSE(unpacked({0xE9, 5, 17, 1, 'x'})) << "no such bit";
  EXPECT_FALSE(unpacked({0xE9, 5, 11, 1, 'x'})) << "no such role";
}

TEST(CommandCodec, AReasonHasAtMost128Bytes) {
  const std::vector<std::uint8_t> text(command::Reason::kBytesMax, 'x');
  const command::Kick kick{ClientId{2}, command::Reason(text)};
  std::vector<std::uint8_t> bytes = packed({ClientId{1}, Sequence{3}, kick});
  EXPECT_EQ(std::get<command::Kick>(unpacked(bytes)->payload).reason, kick.reason);
  ASSERT_EQ(bytes[4], 0x80);  // of the size, a varint
  bytes[4] = 0x81;
  bytes.push_back('x');
  EXPECT_FALSE(unpacked(bytes));
  for (const std::uint32_t client : {0u, limits::kClientsMax + 1}) {
    EXPECT_FALSE(
        codec::is_in_range({ClientId{1}, Sequence{3}, command::Kick{ClientId{client}, {}}}));
    EXPECT_FALSE(
        codec::is_in_range({ClientId{1}, Sequence{3}, command::Ban{ClientId{client}, {}}}));
  }
}

TEST(CommandCodec, AFactorOfGravityIsBounded) {
  for (const float scale : {1e7f, -1e7f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_FALSE(
        codec::is_in_range({ClientId{1}, Sequence{3}, command::SetGravityScale{BodyId{1}, scale}}));
  }
}

// With an orientation or a spin, 2^32 is added to the body. A spawn without is as it always was.
TEST(CommandCodec, ASpawnMayHaveAnOrientationAndASpin) {
  command::Spawn spawn{2, {}, {}};
  const auto bytes = [&] { return packed({ClientId{1}, Sequence{3}, spawn}); };
  const std::size_t plain = bytes().size();
  EXPECT_EQ(plain, 27u);
  spawn.angular_velocity.x = 1;
  EXPECT_EQ(bytes().size(), plain + 4 + 28);
  EXPECT_EQ(std::get<command::Spawn>(unpacked(bytes())->payload).angular_velocity.x, 1);
  spawn.orientation = {0.6f, 0, 0, 0.8f};
  EXPECT_EQ(std::get<command::Spawn>(unpacked(bytes())->payload).orientation, spawn.orientation);
  std::vector<std::uint8_t> none(plain + 4 + 28);
  const std::vector<std::uint8_t> begin = {0x16, 3, 0x82, 0x80, 0x80, 0x80, 0x10};
  std::copy(begin.begin(), begin.end(), none.begin());
  EXPECT_FALSE(unpacked(none)) << "neither orientation nor spin";
  none.back() = 0x40;  // a spin of 2
  EXPECT_TRUE(unpacked(none));
  none[6] = 0x20;
  EXPECT_FALSE(unpacked(none)) << "beyond the flag";
  spawn.orientation = {0.5f, 0, 0, 0.5f};
  EXPECT_FALSE(codec::is_in_range({ClientId{1}, Sequence{3}, spawn}));
  spawn.orientation = {0, 0, 0, 0};
  spawn.angular_velocity.y = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(codec::is_in_range({ClientId{1}, Sequence{3}, spawn}));
}

// Tests all kinds with all lengths of client ids; the bytes are written by hand.
TEST(CommandCodec, KindAndClientShareAByte) {
  const std::vector<std::uint8_t> v = {0, 0, 0xC0, 0x3F, 0, 0, 0, 0x80, 0xC2, 0x16, 0x01, 0};
  const std::vector<std::uint8_t> body = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F};
  const std::vector<std::uint8_t> account = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                             0xFF, 0xFF, 0xFF, 0xFF, 1};
  using Parts = std::vector<std::vector<std::uint8_t>>;
  const Parts behind[] = {
      {body, v},
      {body, v},
      {body, v},
      {body, v, v},
      {v},
      {},
      {body, v, v},
      {body},
      {{1}, v},
      {{3, 2}},
      {{3}},
      {body, {2}, account},
      {{0xAC, 2}},
      {body, v, v},
      {body, v, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0x80, 0x3F}, {0xAC, 2}},
      {body, v, {0, 0, 0, 0}, {0, 0, 0x80, 0xBF}, {0, 0, 0, 0}, {0, 0, 0, 0}, v, v},
      {{0xAC, 2}, {0, 0, 0xC0, 0x3F}, {0, 0, 0, 0}},
      {{0xAC, 2}, {0, 0, 0xC0, 0x3F}, {0, 0, 0, 0}, {0, 0, 0xC0, 0x3F}, {0, 0, 0, 0}},
      {{3, 'k', 'e', 'y'}, {5, 'v', 'a', 'l', 'u', 'e'}},
      {{4, 't', 'e', 'x', 't'}},
      {{0xAC, 2}, {4, 't', 'e', 'x', 't'}},
      {body, {0xAC, 2}, {3}},
      {body, {0, 0, 0xC0, 0x3F}},
      {{0xAC, 2}, {4, 't', 'e', 'x', 't'}},
      {{0xAC, 2}, {0}}};
  const std::pair<std::uint32_t, std::vector<std::uint8_t>> clients[] = {
      {0, {0x00}},     {1, {0x10}},         {13, {0xD0}},           {14, {0xF0, 0}},
      {15, {0xF0, 1}}, {141, {0xF0, 0x7F}}, {142, {0xF0, 0x80, 1}}, {1024, {0xF0, 0xF2, 0x07}}};
  const std::vector<Command> commands = one_of_each();
  ASSERT_EQ(std::size(behind), commands.size());
  for (std::size_t kind = 0; kind < commands.size(); ++kind) {
    for (const auto& [client, giver] : clients) {
      std::vector<std::uint8_t> expected = giver;
      expected[0] |= static_cast<std::uint8_t>(std::min<std::size_t>(kind, 15));
      if (kind >= 15) expected.insert(expected.begin() + 1, static_cast<std::uint8_t>(kind - 15));
      expected.insert(expected.end(), {0x80, 0x80, 1});  // sequence 16384
      for (const auto& part : behind[kind]) {
        expected.insert(expected.end(), part.begin(), part.end());
      }
      Command command = commands[kind];
      command.client = ClientId{client};
      command.sequence = Sequence{16384};
      EXPECT_EQ(packed(command), expected) << "kind " << kind << ", client " << client;
      EXPECT_TRUE(unpacked(expected)) << "kind " << kind << ", client " << client;
    }
  }
}

TEST(CommandCodec, TheNextOfTheSameClientSaysNeitherClientNorSequence) {
  const auto row = [](const std::vector<codec::CommandSource>& givers) {
    std::vector<std::uint8_t> bytes;
    ByteWriter out(bytes);
    codec::CommandSource before;
    for (const auto& [client, sequence] : givers) {
      codec::encode_command({client, sequence, command::Release{}}, before, out);
    }
    ByteReader in(bytes);
    codec::CommandSource read_before;
    for (const codec::CommandSource& giver : givers) {
      const Command command = codec::decode_command(in, read_before).value_or(Command{});
      EXPECT_EQ(command.client, giver.client);
      EXPECT_EQ(command.sequence, giver.sequence);
    }
    EXPECT_TRUE(in.at_end());
    return bytes;
  };
  using Expected = std::vector<std::uint8_t>;
  const ClientId a{3};
  const ClientId b{20};
  EXPECT_EQ(row({{a, {7}}, {a, {8}}, {a, {9}}}), (Expected{0x35, 7, 0xE5, 0xE5}));
  EXPECT_EQ(row({{a, {7}}, {a, {9}}, {a, {7}}}), (Expected{0x35, 7, 0x35, 9, 0x35, 7}));
  EXPECT_EQ(row({{a, {7}}, {b, {8}}, {b, {9}}}), (Expected{0x35, 7, 0xF5, 6, 8, 0xE5}));
  EXPECT_EQ(row({{kServer, {1}}, {kServer, {2}}, {a, {3}}}), (Expected{0xE5, 0xE5, 0x35, 3}));
  // This message is wrong: sequence 8 follows 7, so its command must begin with 0xE5.
  const Expected said = {0x35, 7, 0x35, 8};
  ByteReader in(said);
  codec::CommandSource before;
  EXPECT_TRUE(codec::decode_command(in, before));
  EXPECT_FALSE(codec::decode_command(in, before));
}

// The size goal of logs is 16 bytes per command (common/DECISIONS.md).
TEST(CommandCodec, AMoveTakesSixteenBytesUpToTheSequence2097151) {
  const auto bytes_of_move = [](std::uint32_t sequence) {
    return packed({ClientId{13}, Sequence{sequence}, command::Move{{1, 2, 3}}}).size();
  };
  EXPECT_EQ(bytes_of_move(16383), 15u);
  EXPECT_EQ(bytes_of_move(2097151), 16u);
  EXPECT_EQ(bytes_of_move(2097152), 17u);
}

TEST(CommandCodec, RefusesEveryCutAndUnknownKinds) {
  for (const Command& command : one_of_each()) {
    const std::vector<std::uint8_t> bytes = packed(command);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(unpacked({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}));
    }
  }
  for (int later = 0; later < 256; ++later) {
    if (later + 15 < static_cast<int>(std::variant_size_v<CommandPayload>)) continue;
    std::vector<std::uint8_t> bytes(64, 0);
    bytes[0] = 0x1F;
    bytes[1] = static_cast<std::uint8_t>(later);
    ByteReader in(bytes);
    codec::CommandSource before;
    EXPECT_FALSE(codec::decode_command(in, before)) << later;
  }
}

TEST(CommandCodec, RefusesClientsThatThereAreNotAndLongForms) {
  EXPECT_TRUE(unpacked({0xF5, 0xF2, 0x07, 1})) << "a release by client 1024";
  EXPECT_FALSE(unpacked({0xF5, 0xF3, 0x07, 1})) << "by client 1025";
  EXPECT_FALSE(unpacked({0xF5, 0xF1, 0xFF, 0xFF, 0xFF, 0x0F, 1})) << "2^32 - 1";
  EXPECT_FALSE(unpacked({0xF5, 0xF2, 0xFF, 0xFF, 0xFF, 0x0F, 1})) << "2^32, which is not 0";
  EXPECT_FALSE(unpacked({0xF5, 0x81, 0x80, 0x80, 0x80, 0x10, 1})) << "a varint of 2^32 + 1";
  EXPECT_FALSE(unpacked({0xF5, 0x80, 0x00, 1})) << "14 in a byte too many";
  EXPECT_FALSE(unpacked({0x15, 0x81, 0x00})) << "so the sequence";
  EXPECT_FALSE(unpacked({0x17, 1, 0x85, 0x00})) << "so the body";
}

// Reads one command of each kind in the form of logs before format 4. In this form a command begins
// with a byte for the kind and a varint for the client.
TEST(CommandCodec, ReadsTheOldForm) {
  for (const Command& command : one_of_each()) {
    if (command.payload.index() >= 15) break;  // kinds of later formats
    std::vector<std::uint8_t> old = packed(command);
    old[0] &= 15;  // keep only the kind; the next two bytes are client 1024 as a varint
    old[1] = 0x80;
    old[2] = 0x08;
    ByteReader in(old);
    const std::optional<Command> back = codec::decode_old_command(in);
    ASSERT_TRUE(back && in.at_end()) << command.payload.index();
    EXPECT_TRUE(codec::encodes_equally(*back, command)) << command.payload.index();
  }
  const std::vector<std::uint8_t> unknown = {11, 1, 1, 0};
  ByteReader in(unknown);
  EXPECT_FALSE(codec::decode_old_command(in));
}

// Replaces the first float of each vector by NaN, infinity and the largest float, with both signs.
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
        // An encoded command ends with its vectors, of 12 bytes each.
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
  EXPECT_FALSE(unpacked({0xE9, 0, 1})) << "nobody joins as client 0";
  EXPECT_FALSE(unpacked({0xE9, 5, 3})) << "role 3";
  EXPECT_FALSE(unpacked({0xE9, 0x81, 0x08, 1})) << "client 1025";
  EXPECT_TRUE(unpacked({0xE9, 0x80, 0x08, 1})) << "client 1024";
  EXPECT_FALSE(unpacked({0x15, 0x80, 0x80, 0x80, 0x80, 0x10})) << "sequence 2^32";
  std::vector<std::uint8_t> parameter = {0x18, 1, kParameters};
  parameter.resize(15);
  EXPECT_FALSE(unpacked(parameter)) << "parameter 2";
}

TEST(CommandCodec, EveryCommandHasOneForm) {
  constexpr std::uint64_t kSeed = 20260117;
  SplitMix64 draw(kSeed);
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    std::vector<std::uint8_t> bytes(draw.below(48));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draw.next());
    if (!bytes.empty() && i % 2 == 0) bytes[0] &= 0xF7;
    ByteReader in(bytes);
    codec::CommandSource before;
    const std::optional<Command> command = codec::decode_command(in, before);
    if (!command) continue;
    ++accepted;
    ASSERT_TRUE(codec::is_in_range(*command)) << "seed " << kSeed << " draw " << i;
    bytes.resize(in.offset());
    ASSERT_EQ(packed(*command), bytes) << "seed " << kSeed << " draw " << i;
  }
  EXPECT_GT(accepted, 1000) << "the draws never reach what they test; seed " << kSeed;
}

}  // namespace
}  // namespace orrery
