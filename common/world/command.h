// Owns the commands: all that can happen to a world from outside.
#pragma once

#include <cstdint>
#include <variant>

#include "common/core/ids.h"
#include "common/math/vec3f.h"

namespace orrery {

enum class Role : std::uint8_t {
  watch,  // sees
  play,   // commands the bodies that the scene lets it command
  admin,  // commands every body and sets parameters
};

// What an admin may change while a session runs.
enum class Parameter : std::uint8_t {
  gravity,                 // value: the uniform acceleration
  gravitational_constant,  // value.x
};
inline constexpr std::uint8_t kParameters = 2;

namespace command {

// A force on the centre of mass, world frame, held until the next thrust for that body. Zero ends
// it. A scene limits what thrusts, torques, impulses and spawns do (CommandLimits).
struct Thrust {
  BodyId body;
  Vec3f force;
};

// The same for a torque.
struct Torque {
  BodyId body;
  Vec3f torque;
};

// A sudden change of momentum, world frame, through the centre of mass.
struct Impulse {
  BodyId body;
  Vec3f impulse;
};

// Pulls the point `at` (body coordinates) of a body to `target` (world) by a critically damped
// spring of limited force. A client has one grab; a new one replaces it.
struct Grab {
  BodyId body;
  Vec3f at;
  Vec3f target;
};

// Moves the target of the client's grab.
struct Move {
  Vec3f target;
};

struct Release {};

// A new body like body `prototype` of the scene, at rest orientation; the client's until it leaves.
struct Spawn {
  std::uint32_t prototype = 0;
  Vec3f position;
  Vec3f velocity;
};

struct Remove {
  BodyId body;
};

struct SetParameter {
  Parameter parameter = Parameter::gravity;
  Vec3f value;
};

// Joins and leaves are issued by the server.
struct Join {
  ClientId client;
  Role role = Role::play;
};

struct Leave {
  ClientId client;
};

}  // namespace command

// The order is the number of each kind on the wire and in logs: append only.
using CommandPayload =
    std::variant<command::Thrust, command::Torque, command::Impulse, command::Grab, command::Move,
                 command::Release, command::Spawn, command::Remove, command::SetParameter,
                 command::Join, command::Leave>;

struct Command {
  ClientId client;
  Sequence sequence;
  CommandPayload payload;
};

// The order of the commands of a tick: by client, and each client's by sequence.
constexpr bool comes_before(const Command& a, const Command& b) {
  return a.client != b.client ? a.client < b.client : a.sequence < b.sequence;
}

}  // namespace orrery
