// Commands: everything that changes a world from outside. Quantities are in the units of the scene.
#pragma once

#include <cstdint>
#include <variant>

#include "common/core/ids.h"
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

// A new body like body `prototype` of the scene, with that body's orientation. If the scene names
// no owner for `prototype`, the client owns the new body.
struct Spawn {
  std::uint32_t prototype = 0;
  Vec3f position;
  Vec3f velocity;
};

// The removal of a body.
struct Remove {
  BodyId body;
};

// A new value of a parameter. Only an admin may give it.
struct SetParameter {
  Parameter parameter = Parameter::gravity;
  Vec3f value;
};

// A client joins. Only the server (client kServer) gives Join, Leave and Disown.
struct Join {
  ClientId client;
  Role role = Role::play;
  std::uint64_t account = 0;  // of its token; 0: the client has no account
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

}  // namespace command

// The content of a command. The position of a type in this list is its number on the wire and in
// logs, so append new types and never reorder them.
using CommandPayload =
    std::variant<command::Thrust, command::Torque, command::Impulse, command::Grab, command::Move,
                 command::Release, command::Spawn, command::Remove, command::SetParameter,
                 command::Join, command::Leave, command::SetControl, command::Disown>;

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
