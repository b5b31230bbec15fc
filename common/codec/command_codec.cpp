// Packs commands, and checks and unpacks commands from untrusted sources.
#include "common/codec/command_codec.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <type_traits>

#include "common/core/limits.h"
#include "common/math/range.h"

namespace orrery::codec {
namespace {

// The first byte of a packed command holds the kind in its low kKindBits bits, or kLongKind if the
// kind, minus kLongKind, is in the next byte. The high bits hold
// the client number if it is below kNext, or one of two marks:
// - kNext: the command has the client of the previous packed command and the next sequence number,
//   so client and sequence are left out.
// - kLongClientId: the client number, minus kNext, follows as a varint.
constexpr int kKindBits = 4;
constexpr std::uint8_t kLongKind = 15;
constexpr std::uint32_t kNext = 14;
constexpr std::uint32_t kLongClientId = 15;
static_assert(kLongKind == (1 << kKindBits) - 1);
static_assert(std::variant_size_v<CommandPayload> <= kLongKind + 256);
static_assert(kLongClientId < 1 << (8 - kKindBits) && kNext < kLongClientId);
// The sum in decode_command() that gives a client number cannot overflow.
static_assert(std::uint64_t{kNext} + limits::kClientsMax <=
              std::numeric_limits<std::uint32_t>::max());

bool is_client(ClientId id) { return id.value >= 1 && id.value <= limits::kClientsMax; }

// An orientation is normalised, so its length need not be exactly 1.
bool is_orientation(const Quatf& q) {
  const Quat w = widen(q);
  return within(w.x * w.x + w.y * w.y + w.z * w.z + w.w * w.w, 0.9, 1.1);
}

bool in_range(const command::Thrust& c) { return within(c.force, limits::kForceMax); }
bool in_range(const command::Torque& c) { return within(c.torque, limits::kForceMax); }
bool in_range(const command::Impulse& c) { return within(c.impulse, limits::kForceMax); }
bool in_range(const command::Grab& c) {
  return within(c.at, limits::kLengthMax) && within(c.target, limits::kLengthMax);
}
bool in_range(const command::Move& c) { return within(c.target, limits::kLengthMax); }
bool in_range(const command::Release&) { return true; }
bool in_range(const command::Spawn& c) {
  return within(c.position, limits::kLengthMax) && within(c.velocity, limits::kSpeedMax) &&
         (!command::has_orientation(c) || is_orientation(c.orientation)) &&
         within(c.angular_velocity, limits::kAngularSpeedMax);
}
bool in_range(const command::Remove&) { return true; }
bool in_range(const command::SetParameter& c) {
  switch (c.parameter) {
    case Parameter::gravity:
      return within(c.value, limits::kAccelerationMax);
    case Parameter::gravitational_constant:
      return within(c.value, limits::kCoefficientMax) && c.value.x >= 0;
  }
  return false;
}
bool in_range(const command::Join& c) { return is_client(c.client) && c.role <= Role::admin; }
bool in_range(const command::Leave& c) { return is_client(c.client); }
bool in_range(const command::SetControl& c) { return c.control <= Control::owner; }
bool in_range(const command::Disown& c) { return c.account != 0; }
bool in_range(const command::SetVelocity& c) {
  return within(c.velocity, limits::kSpeedMax) &&
         within(c.angular_velocity, limits::kAngularSpeedMax);
}
bool in_range(const command::MoveTo& c) {
  return within(c.position, limits::kLengthMax) && is_orientation(c.orientation) && c.ticks > 0 &&
         c.ticks <= limits::kWayTicksMax;
}
bool in_range(const command::Place& c) {
  return within(c.position, limits::kLengthMax) && is_orientation(c.orientation) &&
         within(c.velocity, limits::kSpeedMax) &&
         within(c.angular_velocity, limits::kAngularSpeedMax);
}
bool in_range(const command::SetMotor& c) {
  return within(c.speed, limits::kSpeedMax) && within(c.max, 0, limits::kForceMax);
}
bool in_range(const command::SetTarget& c) {
  return within(c.position, limits::kLengthMax) &&
         (c.frequency == 0 || within(c.frequency, 1e-6, 1e6)) && within(c.damping_ratio, 0, 1e6) &&
         within(c.max, 0, limits::kForceMax);
}
bool in_range(const command::SetValue& c) { return !c.key.empty(); }
bool in_range(const command::Message& c) { return !c.text.empty(); }
bool in_range(const command::Tell& c) {
  return !c.text.empty() && c.client.value <= limits::kClientsMax;
}

bool in_range(const command::SetFilter&) { return true; }
bool in_range(const command::Kick& c) { return is_client(c.client); }
bool in_range(const command::Ban& c) { return is_client(c.client); }
bool in_range(const command::SetGravityScale& c) {
  return within(c.scale, limits::kGravityScaleMax);
}

// Call `code` with the fields of a command, in the order of the wire. `code` is a FieldWriter or a
// FieldReader.
void fields(command::Thrust& c, auto& code) { code(c.body, c.force); }
void fields(command::Torque& c, auto& code) { code(c.body, c.torque); }
void fields(command::Impulse& c, auto& code) { code(c.body, c.impulse); }
void fields(command::Grab& c, auto& code) { code(c.body, c.at, c.target); }
void fields(command::Move& c, auto& code) { code(c.target); }
void fields(command::Release&, auto&) {}
void fields(command::Spawn& c, auto& code) {
  const bool turned = code.prototype(c.prototype, command::has_attitude(c));
  code(c.position, c.velocity);
  if (!turned) return;
  code(c.orientation, c.angular_velocity);
  code.require(command::has_attitude(c));
}
void fields(command::Remove& c, auto& code) { code(c.body); }
void fields(command::SetParameter& c, auto& code) { code(c.parameter, c.value); }
void fields(command::Join& c, auto& code) {
  code(c.client);
  code.membership(c.role, c.account, c.user_data);
}
void fields(command::Leave& c, auto& code) { code(c.client); }
void fields(command::SetControl& c, auto& code) { code(c.body, c.control, c.owner); }
void fields(command::Disown& c, auto& code) { code(c.account); }
void fields(command::SetVelocity& c, auto& code) { code(c.body, c.velocity, c.angular_velocity); }
void fields(command::MoveTo& c, auto& code) { code(c.body, c.position, c.orientation, c.ticks); }
void fields(command::Place& c, auto& code) {
  code(c.body, c.position, c.orientation, c.velocity, c.angular_velocity);
}
void fields(command::SetMotor& c, auto& code) { code(c.joint, c.speed, c.max); }
void fields(command::SetTarget& c, auto& code) {
  code(c.joint, c.position, c.frequency, c.damping_ratio, c.max);
}
void fields(command::SetValue& c, auto& code) { code(c.key, c.value); }
void fields(command::Message& c, auto& code) { code(c.text); }
void fields(command::Tell& c, auto& code) { code(c.client, c.text); }
void fields(command::SetFilter& c, auto& code) { code(c.body, c.category, c.mask); }
void fields(command::SetGravityScale& c, auto& code) { code(c.body, c.scale); }
void fields(command::Kick& c, auto& code) { code(c.client, c.reason); }
void fields(command::Ban& c, auto& code) { code(c.client, c.reason); }

// Added to the role in a join with an account. The account follows the role. Logs from before
// joins had accounts therefore mean the same.
constexpr std::uint8_t kHasAccount = 4;
// Added to the role in a join with user data, which come last.
constexpr std::uint8_t kHasUserData = 8;

// Added to the prototype of a spawn with an orientation or a spin. Both follow the velocity. Logs
// from before spawns had them therefore mean the same.
constexpr std::uint64_t kHasAttitude = std::uint64_t{1} << 32;

// Writes each field that it is called with.
struct FieldWriter {
  ByteWriter& out;

  void operator()(const auto&... values) { (put(values), ...); }
  void membership(Role role, std::uint64_t account, const command::Value& user_data) {
    out.u8(static_cast<std::uint8_t>(static_cast<int>(role) | (account != 0 ? kHasAccount : 0) |
                                     (user_data.empty() ? 0 : kHasUserData)));
    if (account != 0) out.varint(account);
    if (!user_data.empty()) put(user_data);
  }
  bool prototype(std::uint32_t body, bool turned) {
    out.varint(body + (turned ? kHasAttitude : 0));
    return turned;
  }
  void require(bool holds) { ORRERY_ASSERT(holds); }
  void put(std::unsigned_integral auto value) { out.varint(value); }
  template <class Tag>
  void put(Id<Tag, std::uint32_t> id) {
    out.varint(id.value);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void put(Enum value) { out.u8(static_cast<std::uint8_t>(value)); }
  void put(float value) { out.f32(value); }
  void put(const Vec3f& v) {
    out.f32(v.x);
    out.f32(v.y);
    out.f32(v.z);
  }
  void put(const Quatf& q) {
    out.f32(q.x);
    out.f32(q.y);
    out.f32(q.z);
    out.f32(q.w);
  }
  template <std::size_t kMax>
  void put(const BoundedBytes<kMax>& bytes) {
    out.varint(bytes.view().size());
    out.bytes(bytes.view());
  }
};

// Reads each field that it is called with.
struct FieldReader {
  ByteReader& in;
  bool fits = true;  // false once a number was too large, or not in its shortest form

  void operator()(auto&... values) { (get(values), ...); }
  void get(std::uint32_t& value) {
    const std::uint64_t wide = in.varint();
    if (wide > std::numeric_limits<std::uint32_t>::max()) fits = false;
    value = static_cast<std::uint32_t>(wide);
  }
  void get(std::uint64_t& value) { value = in.varint(); }
  void membership(Role& role, std::uint64_t& account, command::Value& user_data) {
    const std::uint8_t packed = in.u8();
    role = static_cast<Role>(packed & ~(kHasAccount | kHasUserData));
    if ((packed & kHasAccount) != 0) {
      account = in.varint();
      if (account == 0) fits = false;
    }
    if ((packed & kHasUserData) == 0) return;
    get(user_data);
    if (user_data.empty()) fits = false;
  }
  bool prototype(std::uint32_t& body, bool) {
    const std::uint64_t packed = in.varint();
    if (packed >= 2 * kHasAttitude) fits = false;
    body = static_cast<std::uint32_t>(packed);
    return packed >= kHasAttitude;
  }
  void require(bool holds) {
    if (!holds) fits = false;
  }
  template <class Tag>
  void get(Id<Tag, std::uint32_t>& id) {
    get(id.value);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void get(Enum& value) { value = static_cast<Enum>(in.u8()); }
  void get(float& value) { value = in.f32(); }
  void get(Vec3f& v) {
    v.x = in.f32();
    v.y = in.f32();
    v.z = in.f32();
  }
  void get(Quatf& q) {
    q.x = in.f32();
    q.y = in.f32();
    q.z = in.f32();
    q.w = in.f32();
  }
  template <std::size_t kMax>
  void get(BoundedBytes<kMax>& bytes) {
    const std::uint64_t size = in.varint();
    if (size > kMax) {
      fits = false;
    } else {
      bytes = BoundedBytes<kMax>(in.bytes(static_cast<std::size_t>(size)));
    }
  }
};

// Returns a payload of this kind with default values. REQUIRES: the kind exists.
template <std::size_t kKind = 0>
CommandPayload payload_of(std::size_t kind) {
  if constexpr (kKind + 1 < std::variant_size_v<CommandPayload>) {
    if (kind != kKind) return payload_of<kKind + 1>(kind);
  }
  ORRERY_ASSERT(kind == kKind);
  return CommandPayload(std::in_place_index<kKind>);
}

CommandSource next_source(const CommandSource& giver) {
  return {giver.client, Sequence{giver.sequence.value + 1}};
}

// Reads the rest of a command, after its kind and source. It may be out of range.
std::optional<Command> decode_arguments(std::size_t kind, const CommandSource& giver,
                                        FieldReader& read) {
  if (kind >= std::variant_size_v<CommandPayload>) return {};
  Command command{giver.client, giver.sequence, payload_of(kind)};
  std::visit([&read](auto& p) { fields(p, read); }, command.payload);
  if (!read.in.ok() || !read.fits) return {};
  return command;
}

std::optional<Command> if_in_range(const std::optional<Command>& command) {
  return command && is_in_range(*command) ? command : std::nullopt;
}

}  // namespace

bool is_in_range(const Command& command) {
  return command.client.value <= limits::kClientsMax &&
         std::visit([](const auto& payload) { return in_range(payload); }, command.payload);
}

void encode_command(const Command& command, CommandSource& before, ByteWriter& out) {
  ORRERY_ASSERT(is_in_range(command));
  FieldWriter write{out};
  const CommandSource giver{command.client, command.sequence};
  const bool is_next = giver == next_source(before);
  const bool is_far = command.client.value >= kNext;
  const std::uint32_t high = is_next ? kNext : is_far ? kLongClientId : command.client.value;
  const std::size_t kind = command.payload.index();
  const std::size_t low = std::min<std::size_t>(kind, kLongKind);
  out.u8(static_cast<std::uint8_t>(high << kKindBits | low));
  if (low == kLongKind) out.u8(static_cast<std::uint8_t>(kind - kLongKind));
  if (high == kLongClientId) write(command.client.value - kNext);
  if (!is_next) write(command.sequence);
  CommandPayload payload = command.payload;
  std::visit([&write](auto& p) { fields(p, write); }, payload);
  before = giver;
}

bool encodes_equally(const Command& a, const Command& b) {
  const auto packed = [](const Command& command) {
    std::vector<std::uint8_t> bytes;
    ByteWriter out(bytes);
    CommandSource before;
    encode_command(command, before, out);
    return bytes;
  };
  return packed(a) == packed(b);
}

std::optional<Command> decode_unchecked_command(ByteReader& in, CommandSource& before) {
  const std::uint8_t first = in.u8();
  const std::uint32_t high = std::uint32_t{first} >> kKindBits;
  std::size_t kind = first & kLongKind;
  if (kind == kLongKind) kind += in.u8();
  FieldReader read{in};
  CommandSource giver = next_source(before);
  if (high != kNext) {
    std::uint32_t beyond = 0;
    if (high == kLongClientId) read(beyond);
    if (beyond > limits::kClientsMax) return {};
    giver.client.value = high == kLongClientId ? kNext + beyond : high;
    read(giver.sequence);
    if (giver == next_source(before)) return {};
  }
  before = giver;
  return decode_arguments(kind, giver, read);
}

std::optional<Command> decode_command(ByteReader& in, CommandSource& before) {
  return if_in_range(decode_unchecked_command(in, before));
}

std::optional<Command> decode_old_command(ByteReader& in) {
  const std::uint8_t kind = in.u8();
  FieldReader read{in};
  CommandSource giver;
  read(giver.client);
  read(giver.sequence);
  return if_in_range(decode_arguments(kind, giver, read));
}

}  // namespace orrery::codec
