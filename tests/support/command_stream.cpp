// Generates a seeded stream of valid and invalid commands from several clients.
#include "tests/support/command_stream.h"

namespace orrery {

std::span<const Command> CommandStream::next(const World& world) {
  commands_.clear();
  for (std::uint32_t client = 1; client <= kClients; ++client) join_or_leave(client);
  for (std::uint32_t client = 1; client <= kClients; ++client) {
    if (!joined_[client] || draw_.below(4) != 0) continue;
    const Sequence sequence{++sequence_};
    commands_.push_back({ClientId{client}, sequence, any_payload(world)});
  }
  return commands_;
}

void CommandStream::join_or_leave(std::uint32_t client) {
  const Sequence sequence{sequence_ + 1};
  if (!joined_[client] && draw_.below(20) == 0) {
    const auto role = static_cast<Role>(draw_.below(3));
    commands_.push_back({kServer, sequence, command::Join{ClientId{client}, role}});
  } else if (joined_[client] && draw_.below(200) == 0) {
    commands_.push_back({kServer, sequence, command::Leave{ClientId{client}}});
  } else {
    return;
  }
  joined_[client] = !joined_[client];
  ++sequence_;
}

// Returns a random command. Half of all commands grab or drag a body, as most commands of real
// players do.
CommandPayload CommandStream::any_payload(const World& world) {
  const BodyId body = any_body(world);
  const Vec3f v = any_vector(8);
  const Vec3f at = any_vector(0.5);
  switch (draw_.below(12)) {
    case 0:
      return command::Thrust{body, v};
    case 1:
      return command::Torque{body, at};
    case 2:
      return command::Impulse{body, at};
    case 3:
    case 4:
    case 5:
      return command::Grab{body, at, v};
    case 6:
    case 7:
    case 8:
      return command::Move{v};
    case 9:
      return command::Spawn{draw_.below(static_cast<std::uint32_t>(world.scene().bodies.size())), v,
                            at};
    case 10:
      return command::Release{};
    default:
      return any_change(body, at);
  }
}

CommandPayload CommandStream::any_change(BodyId body, const Vec3f& v) {
  if (draw_.below(3) != 0) return command::Remove{body};
  return command::SetParameter{Parameter::gravity, v};
}

// Returns the body in a random slot, or an id that no body has if the slot is empty.
BodyId CommandStream::any_body(const World& world) {
  const std::uint32_t slot = draw_.below(world.bodies().slots());
  return world.bodies().alive(slot) ? body_id(world, slot) : make_body_id(slot, 7);
}

Vec3f CommandStream::any_vector(double scale) {
  const double x = scale * draw_.symmetric();
  const double y = scale * draw_.symmetric();
  const double z = scale * draw_.symmetric();
  return narrow({x, y, z});
}

}  // namespace orrery
