// Builds a small scene with rigid bodies, a point and an anchor, and random commands for scenes.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/world/command.h"
#include "common/world/step.h"
#include "common/world/world.h"

namespace orrery::test {

// The bodies of small_scene(). The comments say which clients with the role play may control them.
// An admin may control all of them except the anchor.
enum SmallBody : std::uint32_t {
  kFreeBox,  // anyone
  kGuarded,  // nobody
  kOwned,    // client 1
  kPoint,    // Anyone. A spring joins it to the box.
  kAnchor,   // nobody: no command moves an anchor
  kUnowned,  // its owner; it has none, but a client owns the copies that it spawns
  kSmallBodies
};

inline std::vector<Integrator> every_integrator() {
  std::vector<Integrator> all;
  for (std::size_t i = 0; i < kIntegrators; ++i) all.push_back(static_cast<Integrator>(i));
  return all;
}

// Returns the scene with this integrator. Integrators with negative substeps do not allow damping
// and drag, so those are removed.
inline Scene scene_for(Integrator integrator, Scene scene) {
  scene.integrator = integrator;
  if (!has_negative_substeps(integrator)) return scene;
  for (SpringDef& spring : scene.springs) spring.damping = 0;
  for (TetherDef& tether : scene.tethers) tether.damping = 0;
  for (BodyDef& body : scene.bodies) body.linear_drag = body.quadratic_drag = 0;
  return scene;
}

// Returns a valid scene with the bodies of SmallBody, a spring and a tether.
inline Scene small_scene() {
  Scene scene;
  scene.name = "small";
  scene.gravity = {0, -9.81, 0};
  scene.substeps = 2;
  scene.spare_bodies = 4;
  scene.bodies.resize(kSmallBodies);
  for (std::uint32_t i = 0; i < kSmallBodies; ++i) {
    BodyDef& body = scene.bodies[i];
    body.position = {2.0 * i, 1, 0};
    body.velocity = {0, 0.5, 0.25 * i};
    body.angular_velocity = {0.5, 1, 2};
    body.inertia = {1, 2, 3};
    body.linear_drag = 0.1;
  }
  scene.bodies[kGuarded].control = Control::nobody;
  scene.bodies[kOwned].control = Control::owner;
  scene.bodies[kOwned].owner = 1;
  scene.bodies[kPoint].kind = BodyKind::point;
  scene.bodies[kAnchor].kind = BodyKind::anchor;
  scene.bodies[kUnowned].control = Control::owner;
  SpringDef spring;
  spring.a = kFreeBox;
  spring.b = kPoint;
  spring.at_a = {0.5, 0, 0};
  spring.stiffness = 20;
  spring.damping = 1;
  spring.rest_length = 3;
  scene.springs.push_back(spring);
  TetherDef tether;
  tether.body = kFreeBox;
  tether.anchor = {0, 5, 0};
  tether.stiffness = 10;
  scene.tethers.push_back(tether);
  return scene;
}

// Runs ticks without commands.
inline void run(World& world, int ticks) {
  SerialExecutor serial;
  for (int i = 0; i < ticks; ++i) step(world, {}, serial);
}

// Replaces the checksum at the end of a changed image by the correct one.
inline void seal(std::vector<std::uint8_t>& image) {
  image.erase(image.end() - 8, image.end());  // resize() warns under sanitizers
  ByteWriter(image).u64(checksum(image));
}

// Returns a command of a client. Client 0 is the server.
inline Command give(std::uint32_t client, CommandPayload payload, std::uint32_t sequence = 1) {
  return {ClientId{client}, Sequence{sequence}, std::move(payload)};
}

// Returns the bytes of a text as a command::Key or command::Value.
template <class Short>
Short bytes_of(std::string_view text) {
  return Short(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

inline Command join(std::uint32_t client, Role role, std::uint32_t sequence = 1) {
  return give(0, command::Join{ClientId{client}, role}, sequence);
}

inline Command leave(std::uint32_t client, std::uint32_t sequence = 1) {
  return give(0, command::Leave{ClientId{client}}, sequence);
}

// Returns true if every number in the state of the bodies is finite.
inline bool finite(const World& world) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const double* const field = world.bodies().field(static_cast<physics::BodyField>(f));
    if (!std::all_of(field, field + world.bodies().slots(),
                     [](double x) { return std::isfinite(x); }))
      return false;
  }
  return true;
}

// Runs one tick with one command. Returns true if the command was applied.
inline bool try_command(World& world, const Command& command) {
  SerialExecutor serial;
  step(world, {&command, 1}, serial);
  return world.applied().size() == 1;
}

// A generator of valid and invalid commands of every kind, for any scene.
class RandomCommands {
 public:
  explicit RandomCommands(std::uint64_t seed) : draw_(seed) {}

  // Returns commands for the next tick of `world`.
  std::vector<Command> next(const World& world) {
    std::vector<Command> commands;
    ++sequence_;
    for (std::uint32_t i = draw_.below(3); i > 0; --i) {
      const std::uint32_t client = 1 + draw_.below(4);
      const std::uint32_t number = sequence_ * 8 + static_cast<std::uint32_t>(commands.size());
      if (draw_.below(4) == 0) {
        commands.push_back(leave(client, number));
      } else {
        commands.push_back(join(client, static_cast<Role>(draw_.below(3)), number));
      }
    }
    for (std::uint32_t client = 1; client <= 4; ++client) {
      for (std::uint32_t i = draw_.below(4); i > 0; --i) {
        commands.push_back(give(client, payload(world), sequence_ * 8 + 4 - i));
      }
    }
    return commands;
  }

 private:
  Vec3f vector(double size) {
    Vec3f v;
    v.x = static_cast<float>(size * draw_.symmetric());
    v.y = static_cast<float>(size * draw_.symmetric());
    v.z = static_cast<float>(size * draw_.symmetric());
    return v;
  }

  BodyId body(const World& world) {
    const std::uint32_t slot = draw_.below(world.bodies().capacity());
    if (draw_.below(4) != 0 && world.bodies().alive(slot)) return body_id(world, slot);
    return make_body_id(draw_.below(world.bodies().slots() + 2), draw_.below(3));
  }

  CommandPayload payload(const World& world) {
    switch (draw_.below(10)) {
      case 0:
        return command::Thrust{body(world), vector(20)};
      case 1:
        return command::Torque{body(world), vector(5)};
      case 2:
        return command::Impulse{body(world), vector(3)};
      case 3:
        return command::Grab{body(world), vector(0.5), vector(10)};
      case 4:
        return command::Move{vector(10)};
      case 5:
        return command::Release{};
      case 6:
        return command::Spawn{draw_.below(kSmallBodies + 1), vector(10), vector(3)};
      case 7:
        return command::Remove{body(world)};
      case 8:
        return command::SetParameter{Parameter::gravity, vector(10)};
      default:
        return command::Thrust{body(world), {}};
    }
  }

  SplitMix64 draw_;
  std::uint32_t sequence_ = 0;
};

}  // namespace orrery::test
