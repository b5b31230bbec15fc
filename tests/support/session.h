// Makes random scenes and recorded sessions in memory, for tests of scenes and session logs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/session/log_reader.h"
#include "common/session/versions.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scene.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/memory_log.h"

namespace orrery::test {

inline Vec3 any_vector(SplitMix64& draw, double scale) {
  const double x = scale * draw.symmetric();
  const double y = draw.below(4) == 0 ? -0.0 : scale * draw.symmetric();
  const double z = draw.below(4) == 0 ? 0 : scale * draw.symmetric();
  return {x, y, z};
}

// Returns 0, -0 or a random number up to `most`.
inline double any_amount(SplitMix64& draw, double most) {
  const std::uint32_t kind = draw.below(4);
  return kind == 0 ? 0.0 : kind == 1 ? -0.0 : most * (draw.symmetric() + 1) / 2;
}

inline BodyDef any_body(SplitMix64& draw) {
  BodyDef body;
  body.kind = static_cast<BodyKind>(draw.below(3));
  body.control = static_cast<Control>(draw.below(3));
  body.owner = draw.below(9);
  if (body.owner == 8) body.owner = 1'000'000'000'000;  // an account of more than 32 bits
  if (draw.below(2) == 0) body.mass = 0.5 + draw.below(100) / 7.0;
  if (draw.below(2) == 0) body.inertia = {0.5 + draw.below(5) / 3.0, 1, 1.25};
  body.position = any_vector(draw, 10);
  body.velocity = any_vector(draw, 3);
  if (draw.below(2) == 0) {
    const Vec3 axis = any_vector(draw, 1);
    body.orientation = normalized({axis.x, axis.y, axis.z, 1});
  }
  body.angular_velocity = any_vector(draw, 3);
  if (draw.below(2) == 0) body.gravity_scale = draw.symmetric();
  body.linear_drag = any_amount(draw, 2);
  body.quadratic_drag = any_amount(draw, 2);
  if (draw.below(4) == 0) body.color = draw.below(0x1000000);
  if (draw.below(2) == 0) body.half_extents = {0.25, 0.125 * draw.below(9), 2};
  return body;
}

// Returns a valid random scene of two to twenty bodies.
inline Scene any_scene(std::uint64_t seed) {
  SplitMix64 draw(seed);
  Scene scene;
  scene.name = "scene-" + std::to_string(seed);
  scene.about = draw.below(2) == 0 ? "" : "drawn at random";
  scene.tick_rate = 1 + draw.below(240);
  if (draw.below(2) == 0) {
    scene.tick_time_numerator = 1 + draw.below(7);
    scene.tick_time_denominator = 100 + draw.below(900);
  }
  scene.substeps = 1 + draw.below(3);
  scene.integrator = static_cast<Integrator>(draw.below(kIntegrators));
  scene.gravity = any_vector(draw, 10);
  scene.gravitational_constant = any_amount(draw, 0.1);
  scene.softening = any_amount(draw, 1);
  if (draw.below(2) == 0) {
    physics::CommandLimits& most = scene.command_limits;
    most.acceleration_max = any_amount(draw, 100);
    most.angular_acceleration_max = any_amount(draw, 100);
    most.speed_max = any_amount(draw, 50);
    most.spin_max = any_amount(draw, 50);
    scene.command_excess = static_cast<Excess>(draw.below(2));
  }
  scene.spare_bodies = draw.below(20);
  const std::uint32_t count = 2 + draw.below(19);
  for (std::uint32_t i = 0; i < count; ++i) scene.bodies.push_back(any_body(draw));
  if (draw.below(2) == 0) {
    for (std::uint32_t i = 0; i < count; ++i) scene.names.push_back(std::string(i % 3, 'n'));
  }
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    scene.springs.push_back({i, i + 1, any_vector(draw, 1), any_vector(draw, 1),
                             any_amount(draw, 50), any_amount(draw, 2), any_amount(draw, 1)});
  }
  scene.tethers.push_back(
      {draw.below(count), any_vector(draw, 1), any_vector(draw, 5), any_amount(draw, 50), 0, 0});
  if (draw.below(2) == 0) scene.snapshot_position_step = (1 + draw.below(99)) / 300.0;
  scene.snapshot_orientation_bits = 6 + draw.below(10);
  // Some integrators refuse damping or stiff springs.
  if (!validate(scene).ok()) scene.integrator = Integrator::velocity_verlet;
  return scene;
}

// A session of random commands, with the end of each record in its log.
struct RecordedSession {
  std::vector<std::uint8_t> log;
  std::vector<session::RecordType> records;
  std::vector<std::size_t> record_ends;
  std::vector<std::uint64_t> hashes;  // hashes of states 0, 1, ...
};

// Returns true if flipping this bit of a log gives another format version that this build reads.
// The header's checksum detects such a flip.
inline bool is_known_with_flip(std::size_t bit) {
  constexpr std::size_t kBegin = 8 * session::kLogMagic.size();
  if (bit < kBegin || bit >= kBegin + 32) return false;
  const std::uint32_t version = kLogFormatVersion ^ (std::uint32_t{1} << (bit - kBegin));
  return version >= 1 && version <= kLogFormatVersion;
}

// Finds the records by their lengths, without checking their contents.
inline void find_records(RecordedSession& session) {
  for (std::size_t at = session::kPreambleBytes; at < session.log.size();) {
    const session::RecordFrame frame = session::read_frame(Bytes(session.log).subspan(at)).value();
    at += frame.size();
    session.records.push_back(frame.type);
    session.record_ends.push_back(at);
  }
  ORRERY_ASSERT(session.record_ends.back() == session.log.size());
}

// Returns the log with `change` applied to the payload of every checkpoint, and with correct
// checksums. REQUIRES: `change` keeps the size, so the index stays valid.
template <class Change>
std::vector<std::uint8_t> with_checkpoints_changed(Bytes log, Change change) {
  std::vector<std::uint8_t> out(log.begin(), log.begin() + session::kPreambleBytes);
  std::uint64_t chain = checksum(out);
  for (Bytes rest = log.subspan(session::kPreambleBytes); !rest.empty();) {
    const session::RecordFrame frame = session::read_frame(rest).value();
    const Bytes before = rest.subspan(frame.payload_offset, frame.payload_size);
    std::vector<std::uint8_t> payload(before.begin(), before.end());
    if (frame.type == session::RecordType::checkpoint) change(payload);
    ORRERY_ASSERT(payload.size() == before.size());
    chain = session::append_record(frame.type, payload, {}, chain, out);
    rest = rest.subspan(frame.size());
  }
  return out;
}

// Records a closed session of random commands with this many ticks.
inline RecordedSession record_session(const Scene& scene, std::uint64_t seed, int ticks) {
  RecordedSession session;
  MemorySink sink;
  World world(scene);
  SerialExecutor executor;
  CommandStream commands(seed);
  session::SessionLog log(sink, session::make_log_header(world, "test", codec::SessionId{1, 2, 3}));
  session.hashes.push_back(world.hash());
  for (int i = 0; i < ticks; ++i) {
    step(world, commands.next(world), executor);
    log.append_tick(world);
    session.hashes.push_back(world.hash());
  }
  log.close();
  session.log = std::move(sink.bytes);
  find_records(session);
  return session;
}

}  // namespace orrery::test
