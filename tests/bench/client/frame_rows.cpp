// Measures how long it takes to compute the poses of a frame from states, and to copy them to the
// caller's array.
#include <array>
#include <cstring>
#include <vector>

#include "client/lib/frames/frames.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"

namespace orrery::bench {
namespace {

constexpr std::size_t kBodies = 1000;
constexpr int kTicks = 120;
constexpr int kFrames = 288;  // 144 per second, for the two seconds that kTicks take

// The states of a session, as a client receives them.
std::vector<client::Snapshot> states_of(const char* scene) {
  World world(built_in_scene(scene).value());
  SerialExecutor serial;
  std::vector<client::Snapshot> states(kTicks);
  for (client::Snapshot& state : states) {
    step(world, {}, serial);
    state.tick = world.tick();
    for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
      const Bodies& b = world.bodies();
      state.bodies.push_back({body_id(world, slot), world.tick(), b.position(slot),
                              b.velocity(slot), b.orientation(slot), b.angular_velocity(slot),
                              slot});
    }
  }
  return states;
}

// For each body three numbers of its position and four of its orientation, as an engine reads them.
using Rows = std::vector<std::array<float, 7>>;

void write_rows(const std::vector<client::BodyPose>& poses, Rows& rows) {
  std::size_t i = 0;
  for (const client::BodyPose& pose : poses) {
    const Vec3& p = pose.position;
    const Quat& q = pose.orientation;
    const double row[] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
    for (std::size_t k = 0; k < rows[i].size(); ++k) rows[i][k] = static_cast<float>(row[k]);
    ++i;
  }
}

// CPU seconds of making all frames and of adding all states, when the states are played once.
struct Cost {
  double frames = 0;
  double states = 0;
};

Cost play(const std::vector<client::Snapshot>& states, client::FrameMode mode, Rows& rows) {
  client::Frames frames(1.0 / 60, 60);
  Cost cost;
  std::size_t next = 0;
  double start = host::process_cpu_seconds();
  const auto lap = [&](double& total) {
    const double now = host::process_cpu_seconds();
    total += now - start;
    start = now;
  };
  for (int frame = 0; frame < kFrames; ++frame) {
    const auto now = static_cast<net::Nanoseconds>(frame + 1) * net::kSecond / 144;
    for (; next < states.size() && (next + 1) * net::kSecond / 60 <= now; ++next) {
      frames.add(states[next], now);
    }
    lap(cost.states);
    write_rows(*frames.at(now, mode).poses, rows);
    lap(cost.frames);
  }
  return cost;
}

}  // namespace

void print_frame_rows() {
  const auto states = states_of("free:1000");
  Rows rows(kBodies);
  Rows copied(kBodies);
  Best copy;
  for (int round = 0; round < kRounds; ++round) {
    copy.run([&] {
      for (int frame = 0; frame < kFrames; ++frame) {
        rows[0][0] = static_cast<float>(frame);
        std::memcpy(copied.data(), rows.data(), kBodies * sizeof rows[0]);
        asm volatile("" : : "r"(copied.data()) : "memory");
      }
    });
  }
  const std::pair<const char*, client::FrameMode> modes[] = {
      {"interpolate", client::FrameMode::interpolate},
      {"Verlet", client::FrameMode::verlet},
      {"Verlet as published", client::FrameMode::published_verlet}};
  for (const auto& [name, mode] : modes) {
    Cost best{1e300, 1e300};
    for (int round = 0; round < kRounds; ++round) {
      const Cost cost = play(states, mode, rows);
      best = {std::min(best.frames, cost.frames), std::min(best.states, cost.states)};
    }
    print_row(format("poses of 1,000 bodies in a frame, %s", name),
              mode == client::FrameMode::interpolate ? "20 us" : "60 us",
              format("%.1f us", 1e6 * best.frames / kFrames),
              format("copying them %.2f us; taking a state %.1f us", 1e6 * copy.seconds() / kFrames,
                     1e6 * best.states / kTicks));
  }
}

}  // namespace orrery::bench
