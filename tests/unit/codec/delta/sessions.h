// Frames for tests of the delta codec: from built-in scenes under commands, and invented ones.
#pragma once

#include <string>
#include <vector>

#include "common/codec/delta/world_frame.h"
#include "common/core/executor.h"
#include "common/core/rng.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"

namespace orrery::codec {

// The frames of a session of a built-in scene, from tick 1, and the numbers of the scene.
struct Session {
  DeltaScene scene;
  std::vector<double> radii;
  std::vector<QuantisedFrame> frames;
};

inline Session session_of(const std::string& name, std::uint32_t ticks, std::uint64_t seed) {
  World world(built_in_scene(name).value());
  SerialExecutor executor;
  Session session{delta_scene_of(world.scene()), {}, {}};
  session.radii = radii_of(world.scene(), session.scene.grid);
  CommandStream commands(seed);
  for (std::uint32_t i = 0; i < ticks; ++i) {
    step(world, commands.next(world), executor);
    quantise(world, session.scene.grid, session.frames.emplace_back());
  }
  return session;
}

// Returns the numbers of a scene of `slots` cubes. Each has half extents of 64 steps. Gravity acts
// downwards.
inline DeltaScene cubes(std::uint32_t slots) {
  return {.grid = {}, .gravity = {0, -1, 0}, .slots = slots, .prototypes = 2};
}

// Returns a body at a position, at rest.
inline QuantisedBody body_at(std::uint32_t slot, std::int32_t x, std::int32_t y, std::int32_t z) {
  QuantisedBody body;
  quantise({}, {}, {}, body);
  body.id = BodyId{slot};
  body.size = size_of(64);
  body.position = {x, y, z};
  body.active = body.present = true;
  return body;
}

// Both sides of a connection that loses nothing.
class Pair {
 public:
  explicit Pair(const DeltaScene& scene, DeltaLevel level = DeltaLevel::fast)
      : encoder_(scene, level), decoder_(scene, level) {}

  // Sends a frame against the last one. Returns its bytes, or -1 if the two sides differ.
  int send(const QuantisedFrame& frame, std::span<const std::uint32_t> references = {}) {
    bytes.clear();
    CodedFrame here, there;
    encoder_.encode(sent, frame, references, here, bytes);
    const bool ok = decoder_.decode(received, frame.tick, bytes, there);
    sent = here;
    received = there;
    const bool equal = ok && there.frame.bodies == frame.bodies && there.checksum == here.checksum;
    return equal ? static_cast<int>(bytes.size()) : -1;
  }

  CodedFrame sent;
  CodedFrame received;
  std::vector<std::uint8_t> bytes;

 private:
  DeltaCodec encoder_;
  DeltaCodec decoder_;
};

}  // namespace orrery::codec
