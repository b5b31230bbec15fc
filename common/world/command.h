// Commands: everything that changes a world from outside. Quantities are in the units of the scene.
#pragma once

#include <cstdint>
#include <variant>

#include "common/core/bounded_bytes.h"
#include "common/core/ids.h"
#include "common/core/limits.h"
#include "common/math/quatf.h"
#include "common/math/vec3f.h"

namespace orrery {

// The role of a client: which commands it may give.
enum class Role : std::uint8_t {
  watch,  // receives snapshots, gives no commands
  play,   // commands the bodies that the scene lets it command
  admin,  // commands every rigid or point body, removes any body, sets parameters
};

// The clients with the role play that may command a body.
enum class Control : std::uint8_t { nobody, anyone, owner };

// A parameter that an admin may change while a session runs.
enum class Parameter : std::uint8_t {
  gravity,                 // value: the uniform acceleration
  gravitational_constant,  // value.x: the constant
};
inline constexpr std::uint8_t kParameters = 2;

namespace command {

// A force on the centre of mass, world frame. It acts in every tick until the next Thrust for that
// body; a force of zero ends it. The scene limits how far thrusts, torques, impulses and spawns
// change motion (CommandLimits).
struct Thrust {
  BodyId body;
  Vec3f force;
};

// A torque, world frame. It acts in every tick until the next Torque for that body; a torque of
// zero ends it.
struct Torque {
  BodyId body;
  Vec3f torque;
};

// A sudden change of momentum through the centre of mass, world frame.
struct Impulse {
  BodyId body;
  Vec3f impulse;
};

// A spring that pulls the point `at` (body coordinates) of a body to `target` (world coordinates).
// The spring is critically damped and its force is limited. A client has one grab; a new one
// replaces it.
struct Grab {
  BodyId body;
  Vec3f at;
  Vec3f target;
};

// A new target for the client's grab.
struct Move {
  Vec3f target;
};

// The end of the client's grab.
struct Release {};

// A new body like body `prototype` of the scene. If the scene names no owner for `prototype`, the
// client owns the new body. Four zeros as the orientation mean the orientation of `prototype`. With
// the spin 0 in addition, the body also gets the spin of `prototype`.
struct Spawn {
  std::uint32_t prototype = 0;
  Vec3f position;
  Vec3f velocity;
  Quatf orientation{0, 0, 0, 0};  // of the shape, as in scenes
  Vec3f angular_velocity{};       // world frame, angle per time unit
};
// Returns true if the command gives an orientation.
constexpr bool has_orientation(const Spawn& c) { return c.orientation != Quatf{0, 0, 0, 0}; }
// Returns true if the command gives an orientation or a spin.
constexpr bool has_attitude(const Spawn& c) {
  return has_orientation(c) || c.angular_velocity != Vec3f{};
}

// The removal of a body.
struct Remove {
  BodyId body;
};

// A new value of a parameter. Only an admin may give it.
struct SetParameter {
  Parameter parameter = Parameter::gravity;
  Vec3f value;
};

// The name and the bytes of a value. Both may be any bytes; programs that show them read UTF-8.
using Key = BoundedBytes<limits::kKeyBytesMax>;
using Value = BoundedBytes<limits::kValueBytesMax>;

// A client joins. Only the server (client kServer) gives Join, Leave and Disown.
struct Join {
  ClientId client;
  Role role = Role::play;
  std::uint64_t account = 0;  // of its token; 0: the client has no account
  // Bytes that a back end wrote into the token for the rules, such as a team. They change no state.
  Value user_data{};
};

// A client leaves. Its grab and thrusts end. A client with an account keeps its bodies. The bodies
// of a client without one go back to the owners that the scene names.
struct Leave {
  ClientId client;
};

// A new control and owner of a body. Only an admin may give it. The owner is an account, or the id
// of a client that has none; 0: nobody.
struct SetControl {
  BodyId body;
  Control control = Control::anyone;
  std::uint64_t owner = 0;
};

// The spawned bodies of an account lose their owner, because its client was away for too long.
// Bodies of the scene keep theirs.
struct Disown {
  std::uint64_t account = 0;
};

// New velocities of a kinematic body, world frame. They end a MoveTo. Only an admin or the server
// may give it.
struct SetVelocity {
  BodyId body;
  Vec3f velocity;
  Vec3f angular_velocity;  // angle per time unit
};

// A way of a kinematic body: from its present pose, along a straight line and about one axis, to
// this pose, which it reaches exactly after `ticks` ticks. It starts and ends at rest: after a
// share u of the ticks, it has gone 3 u^2 - 2 u^3 of the way. The pose is of the coordinates in
// which the shape is defined, as in scenes. Only an admin or the server may give it.
struct MoveTo {
  BodyId body;
  Vec3f position;
  Quatf orientation;
  std::uint32_t ticks = 1;  // at least 1
};

// A new pose and new velocities of a rigid, point or kinematic body at once, without a way between.
// Its contacts end, and it wakes. The pose is as in MoveTo. Only an admin or the server may give
// it.
struct Place {
  BodyId body;
  Vec3f position;
  Quatf orientation;
  Vec3f velocity;
  Vec3f angular_velocity;
};

// A new speed and a new largest force or torque of the motor of a joint. A motor with a largest
// force of 0 does nothing. JointDef::control decides which clients may give it.
struct SetMotor {
  std::uint32_t joint = 0;  // its place in the scene's list
  float speed = 0;          // of the joint's coordinate
  float max = 0;
};

// A new rest, frequency, damping ratio and largest force or torque of the spring of a joint, which
// then works as a servo: the coordinate settles as a damped oscillator does, whatever hangs on the
// joint. A frequency of 0 ends the spring. JointDef::control decides which clients may give it.
struct SetTarget {
  std::uint32_t joint = 0;
  float position = 0;   // of the joint's coordinate
  float frequency = 0;  // cycles per time unit
  float damping_ratio = 1;
  float max = 0;  // 0: without limit
};

// A new value of the session, such as a score, under a key of at least one byte. An empty value
// ends the key. The values are state, and every client gets them. Only an admin or the server may
// give it.
struct SetValue {
  Key key;
  Value value;
};

// Bytes from a client to the rules of the session, at least one. They change no state.
struct Message {
  Value text;
};

// Bytes, at least one, from an admin or the server to a client, or to all (client 0). They change
// no state.
struct Tell {
  ClientId client;
  Value text;
};

// A new category and mask of all parts of a body (physics::Filter), until the body is removed. Its
// contacts with parts that it may not meet any more end, and it wakes. Only an admin or the server
// may give it.
struct SetFilter {
  BodyId body;
  std::uint32_t category = 1;
  std::uint32_t mask = ~0u;
};

// A new factor of uniform gravity on a rigid or point body, until it is removed. Only an admin or
// the server may give it.
struct SetGravityScale {
  BodyId body;
  float scale = 1;
};

// Why a client must leave, for people. A sentence that quotes it has at most 255 bytes.
using Reason = BoundedBytes<128>;

// The end of the connection of a client. It changes no state: the server ends the connection after
// the tick. Only an admin or the server may give it.
struct Kick {
  ClientId client;
  Reason reason;
};

// As Kick. The client id of its token cannot join the session again.
struct Ban {
  ClientId client;
  Reason reason;
};

}  // namespace command

// The content of a command. The position of a type in this list is its number on the wire and in
// logs, so append new types and never reorder them.
using CommandPayload =
    std::variant<command::Thrust, command::Torque, command::Impulse, command::Grab, command::Move,
                 command::Release, command::Spawn, command::Remove, command::SetParameter,
                 command::Join, command::Leave, command::SetControl, command::Disown,
                 command::SetVelocity, command::MoveTo, command::Place, command::SetMotor,
                 command::SetTarget, command::SetValue, command::Message, command::Tell,
                 command::SetFilter, command::SetGravityScale, command::Kick, command::Ban>;

// A command, with the client that gave it and that client's sequence number.
struct Command {
  ClientId client;
  Sequence sequence;
  CommandPayload payload;
};

// Returns true if `a` is applied before `b` in a tick: ascending by client, then by sequence.
constexpr bool comes_before(const Command& a, const Command& b) {
  return a.client != b.client ? a.client < b.client : a.sequence < b.sequence;
}

}  // namespace orrery
