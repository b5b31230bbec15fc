// Converts commands between the struct of the header and the world's own type.
#include "client/api/commands.h"

#include <limits>
#include <optional>
#include <variant>

#include "client/api/structs.h"
#include "common/codec/command_codec.h"
#include "common/core/limits.h"
#include "common/math/range.h"

namespace orrery::api {
namespace {

// Checks that the number of a kind in the header is the index of its type in CommandPayload.
template <class Payload, int kKind>
constexpr bool kIsKind = std::is_same_v<std::variant_alternative_t<kKind, CommandPayload>, Payload>;
static_assert(kIsKind<command::Thrust, ORRERY_THRUST> && kIsKind<command::Torque, ORRERY_TORQUE> &&
              kIsKind<command::Impulse, ORRERY_IMPULSE> && kIsKind<command::Grab, ORRERY_GRAB> &&
              kIsKind<command::Move, ORRERY_MOVE> && kIsKind<command::Release, ORRERY_RELEASE> &&
              kIsKind<command::Spawn, ORRERY_SPAWN> && kIsKind<command::Remove, ORRERY_REMOVE> &&
              kIsKind<command::SetParameter, ORRERY_SET_PARAMETER> &&
              kIsKind<command::Join, ORRERY_JOIN> && kIsKind<command::Leave, ORRERY_LEAVE> &&
              kIsKind<command::SetControl, ORRERY_SET_CONTROL> &&
              kIsKind<command::Disown, ORRERY_DISOWN> &&
              kIsKind<command::SetVelocity, ORRERY_SET_VELOCITY> &&
              kIsKind<command::MoveTo, ORRERY_MOVE_TO> && kIsKind<command::Place, ORRERY_PLACE> &&
              kIsKind<command::SetMotor, ORRERY_SET_MOTOR> &&
              kIsKind<command::SetTarget, ORRERY_SET_TARGET> &&
              kIsKind<command::SetValue, ORRERY_SET_VALUE> &&
              kIsKind<command::Message, ORRERY_MESSAGE> && kIsKind<command::Tell, ORRERY_TELL> &&
              kIsKind<command::SetFilter, ORRERY_SET_FILTER> &&
              kIsKind<command::SetGravityScale, ORRERY_SET_GRAVITY_SCALE> &&
              kIsKind<command::Kick, ORRERY_KICK> && kIsKind<command::Ban, ORRERY_BAN>);
static_assert(std::variant_size_v<CommandPayload> == ORRERY_BAN + 1);
static_assert(ORRERY_GRAVITY == static_cast<int>(Parameter::gravity) &&
              ORRERY_ATTRACTION == static_cast<int>(Parameter::gravitational_constant));
static_assert(ORRERY_WATCH == static_cast<int>(Role::watch) &&
              ORRERY_PLAY == static_cast<int>(Role::play) &&
              ORRERY_ADMIN == static_cast<int>(Role::admin));

Vec3 from_floats(const float (&v)[3]) { return {v[0], v[1], v[2]}; }

// Rounds to binary32. Returns infinity for a number beyond its range, which is_in_range() refuses.
float rounded(double x) {
  const bool fits = within(x, std::numeric_limits<float>::max());
  return fits ? static_cast<float>(x) : std::numeric_limits<float>::infinity();
}
Vec3f rounded(const Vec3& v) { return {rounded(v.x), rounded(v.y), rounded(v.z)}; }

void to_floats(const Vec3& v, float (&to)[3]) {
  to[0] = rounded(v.x);
  to[1] = rounded(v.y);
  to[2] = rounded(v.z);
}

// Returns the factor from the scene's unit to the caller's for a quantity with this power of
// length.
double unit_power(const Space& space, int power) {
  double factor = 1;
  for (int i = 0; i < power; ++i) factor *= space.units;
  return factor;
}

Quatf orientation_in(const Space& space, const float (&q)[4]) {
  const Vec3f v = rounded(space.turn_in({q[0], q[1], q[2]}));
  return {v.x, v.y, v.z, q[3]};
}

void to_floats(const Quat& q, float (&to)[4]) {
  to[0] = rounded(q.x);
  to[1] = rounded(q.y);
  to[2] = rounded(q.z);
  to[3] = rounded(q.w);
}

// Returns the bytes of the caller, or nothing if there are too many.
template <std::size_t kMax, std::size_t kRoom>
std::optional<BoundedBytes<kMax>> bytes_in(const std::uint8_t (&from)[kRoom], std::uint16_t size) {
  static_assert(kMax <= kRoom);
  if (size > kMax) return std::nullopt;
  return BoundedBytes<kMax>(Bytes(from, size));
}

std::optional<CommandPayload> text_in(const orrery_command& c) {
  const auto key = bytes_in<limits::kKeyBytesMax>(c.key, c.key_size);
  const auto bytes = bytes_in<limits::kValueBytesMax>(c.bytes, c.bytes_size);
  if (!key || !bytes) return std::nullopt;
  if (c.kind == ORRERY_SET_VALUE) return command::SetValue{*key, *bytes};
  if (c.kind == ORRERY_MESSAGE) return command::Message{*bytes};
  return command::Tell{ClientId{c.subject}, *bytes};
}

std::optional<CommandPayload> kick_in(const orrery_command& c) {
  const auto reason = bytes_in<command::Reason::kBytesMax>(c.bytes, c.bytes_size);
  if (!reason) return std::nullopt;
  if (c.kind == ORRERY_KICK) return command::Kick{ClientId{c.subject}, *reason};
  return command::Ban{ClientId{c.subject}, *reason};
}

std::optional<CommandPayload> join_in(const orrery_command& c) {
  const auto user_data = bytes_in<limits::kValueBytesMax>(c.bytes, c.bytes_size);
  if (!user_data || c.role < ORRERY_WATCH || c.role > ORRERY_ADMIN) return std::nullopt;
  return command::Join{ClientId{c.subject}, static_cast<Role>(c.role), c.account, *user_data};
}

std::optional<CommandPayload> payload_in(const Space& s, const orrery_command& c) {
  const Vec3 first = from_floats(c.first);
  const Vec3 second = from_floats(c.second);
  const BodyId body{c.subject};
  switch (c.kind) {
    case ORRERY_THRUST:
      return command::Thrust{body, rounded(s.in(first))};
    case ORRERY_TORQUE:
      return command::Torque{body, rounded((1 / unit_power(s, 2)) * s.turn_in(first))};
    case ORRERY_IMPULSE:
      return command::Impulse{body, rounded(s.in(first))};
    case ORRERY_GRAB:
      return command::Grab{body, rounded(s.in(first)), rounded(s.position_in(second))};
    case ORRERY_MOVE:
      return command::Move{rounded(s.position_in(first))};
    case ORRERY_RELEASE:
      return command::Release{};
    case ORRERY_SPAWN:
      return command::Spawn{c.subject, rounded(s.position_in(first)), rounded(s.in(second)),
                            orientation_in(s, c.orientation),
                            rounded(s.turn_in(from_floats(c.third)))};
    case ORRERY_REMOVE:
      return command::Remove{body};
    case ORRERY_SET_PARAMETER:
      if (c.subject == ORRERY_GRAVITY) {
        return command::SetParameter{Parameter::gravity, rounded(s.in(first))};
      }
      if (c.subject != ORRERY_ATTRACTION) return std::nullopt;
      return command::SetParameter{Parameter::gravitational_constant,
                                   rounded((1 / unit_power(s, 3)) * first)};
    case ORRERY_JOIN:
      return join_in(c);
    case ORRERY_LEAVE:
      return command::Leave{ClientId{c.subject}};
    case ORRERY_SET_CONTROL:
      if (c.control < ORRERY_NOBODY || c.control > ORRERY_OWNER) return std::nullopt;
      return command::SetControl{body, static_cast<Control>(c.control), c.account};
    case ORRERY_DISOWN:
      return command::Disown{c.account};
    case ORRERY_SET_VELOCITY:
      return command::SetVelocity{body, rounded(s.in(first)), rounded(s.turn_in(second))};
    case ORRERY_MOVE_TO:
      return command::MoveTo{body, rounded(s.position_in(first)), orientation_in(s, c.orientation),
                             c.ticks};
    case ORRERY_PLACE:
      return command::Place{body, rounded(s.position_in(first)), orientation_in(s, c.orientation),
                            rounded(s.in(second)), rounded(s.turn_in(from_floats(c.third)))};
    case ORRERY_SET_MOTOR:
      return command::SetMotor{c.subject, c.first[0], c.first[1]};
    case ORRERY_SET_TARGET:
      return command::SetTarget{c.subject, c.first[0], c.first[1], c.first[2], c.second[0]};
    case ORRERY_SET_VALUE:
    case ORRERY_MESSAGE:
    case ORRERY_TELL:
      return text_in(c);
    case ORRERY_SET_FILTER:
      return command::SetFilter{body, c.category, c.mask};
    case ORRERY_SET_GRAVITY_SCALE:
      return command::SetGravityScale{body, c.first[0]};
    case ORRERY_KICK:
    case ORRERY_BAN:
      return kick_in(c);
    default:
      return std::nullopt;
  }
}

// Sets the fields of the struct whose meaning depends on the kind of the command.
struct Writer {
  const Space& space;
  orrery_command& to;

  void operator()(const command::Thrust& c) const {
    to.subject = c.body.value;
    to_floats(space.out(widen(c.force)), to.first);
  }
  void operator()(const command::Torque& c) const {
    to.subject = c.body.value;
    to_floats(unit_power(space, 2) * space.turn_out(widen(c.torque)), to.first);
  }
  void operator()(const command::Impulse& c) const {
    to.subject = c.body.value;
    to_floats(space.out(widen(c.impulse)), to.first);
  }
  void operator()(const command::Grab& c) const {
    to.subject = c.body.value;
    to_floats(space.out(widen(c.at)), to.first);
    to_floats(space.position_out(widen(c.target)), to.second);
  }
  void operator()(const command::Move& c) const {
    to_floats(space.position_out(widen(c.target)), to.first);
  }
  void operator()(const command::Release&) const {}
  void operator()(const command::Spawn& c) const {
    to.subject = c.prototype;
    to_floats(space.position_out(widen(c.position)), to.first);
    to_floats(space.out(widen(c.velocity)), to.second);
    if (command::has_orientation(c))
      to_floats(space.orientation_out(widen(c.orientation)), to.orientation);
    to_floats(space.turn_out(widen(c.angular_velocity)), to.third);
  }
  void operator()(const command::Remove& c) const { to.subject = c.body.value; }
  void operator()(const command::SetParameter& c) const {
    to.subject = static_cast<std::uint32_t>(c.parameter);
    const bool gravity = c.parameter == Parameter::gravity;
    const Vec3 value = widen(c.value);
    to_floats(gravity ? space.out(value) : unit_power(space, 3) * value, to.first);
  }
  void operator()(const command::Join& c) const {
    to.subject = c.client.value;
    to.role = static_cast<std::int32_t>(c.role);
    to.account = c.account;
    to.bytes_size = bytes_out(c.user_data, to.bytes);
  }
  void operator()(const command::Leave& c) const { to.subject = c.client.value; }
  void operator()(const command::SetControl& c) const {
    to.subject = c.body.value;
    to.control = static_cast<std::int32_t>(c.control);
    to.account = c.owner;
  }
  void operator()(const command::Disown& c) const { to.account = c.account; }
  void operator()(const command::SetVelocity& c) const {
    to.subject = c.body.value;
    to_floats(space.out(widen(c.velocity)), to.first);
    to_floats(space.turn_out(widen(c.angular_velocity)), to.second);
  }
  void operator()(const command::MoveTo& c) const {
    to.subject = c.body.value;
    to_floats(space.position_out(widen(c.position)), to.first);
    to_floats(space.orientation_out(widen(c.orientation)), to.orientation);
    to.ticks = c.ticks;
  }
  void operator()(const command::Place& c) const {
    to.subject = c.body.value;
    to_floats(space.position_out(widen(c.position)), to.first);
    to_floats(space.orientation_out(widen(c.orientation)), to.orientation);
    to_floats(space.out(widen(c.velocity)), to.second);
    to_floats(space.turn_out(widen(c.angular_velocity)), to.third);
  }
  void operator()(const command::SetMotor& c) const {
    to.subject = c.joint;
    to_floats({c.speed, c.max, 0}, to.first);
  }
  void operator()(const command::SetTarget& c) const {
    to.subject = c.joint;
    to_floats({c.position, c.frequency, c.damping_ratio}, to.first);
    to_floats({c.max, 0, 0}, to.second);
  }
  void operator()(const command::SetValue& c) const {
    to.key_size = bytes_out(c.key, to.key);
    to.bytes_size = bytes_out(c.value, to.bytes);
  }
  void operator()(const command::Message& c) const { to.bytes_size = bytes_out(c.text, to.bytes); }
  void operator()(const command::Tell& c) const {
    to.subject = c.client.value;
    to.bytes_size = bytes_out(c.text, to.bytes);
  }
  void operator()(const command::SetFilter& c) const {
    to.subject = c.body.value;
    to.category = c.category;
    to.mask = c.mask;
  }
  void operator()(const command::SetGravityScale& c) const {
    to.subject = c.body.value;
    to.first[0] = c.scale;
  }
  void operator()(const command::Kick& c) const { set_kick(c.client, c.reason); }
  void operator()(const command::Ban& c) const { set_kick(c.client, c.reason); }
  void set_kick(ClientId client, const command::Reason& reason) const {
    to.subject = client.value;
    to.bytes_size = bytes_out(reason, to.bytes);
  }
};

}  // namespace

std::int32_t read_commands(Handle& handle, const orrery_command* commands, std::uint32_t count,
                           std::vector<Command>& out) {
  out.clear();
  if (count > limits::kCommandsPerTickMax) {
    return fail(handle, ORRERY_BAD_COMMAND, "%u commands in a tick; at most %u are allowed", count,
                limits::kCommandsPerTickMax);
  }
  const std::int32_t code = check_rows(handle, commands, count, "command", true);
  if (code != ORRERY_OK || count == 0) return code;
  const Rows<const orrery_command> rows(commands);
  for (std::uint32_t i = 0; i < count; ++i) {
    const orrery_command& c = *rows[i];
    std::optional<CommandPayload> payload = payload_in(handle.space, c);
    if (!payload) {
      return fail(handle, ORRERY_BAD_COMMAND,
                  "command %u has an unknown kind, role, control or parameter, or too many bytes",
                  i);
    }
    Command command{ClientId{c.client}, Sequence{c.sequence}, *payload};
    if (!codec::is_in_range(command)) {
      return fail(handle, ORRERY_BAD_COMMAND,
                  "command %u has a client or a number that is not finite or out of range", i);
    }
    if (i > 0 && comes_before(command, out.back())) {
      return fail(handle, ORRERY_BAD_COMMAND,
                  "command %u must be before command %u: commands ascend by client, then by "
                  "sequence",
                  i, i - 1);
    }
    out.push_back(command);
  }
  return ORRERY_OK;
}

orrery_command command_out(const Space& space, const Command& command) {
  orrery_command to{};
  to.kind = static_cast<std::int32_t>(command.payload.index());
  to.client = command.client.value;
  to.sequence = command.sequence.value;
  std::visit(Writer{space, to}, command.payload);
  return to;
}

}  // namespace orrery::api
