// Tests the poses of a client: random frame times, compared with exact paths.
#include "client/lib/frames/body_interpolator.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "common/core/rng.h"
#include "common/math/vec3f.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

constexpr double kTickTime = 1.0 / 60;
constexpr double kExtrapolatedTicks = 60 * client::BodyInterpolator::kExtrapolatedSeconds;
constexpr double kGravity = 9.81;
constexpr auto kPublished = client::Motion::published_verlet;
constexpr auto kFull = client::Motion::verlet;

// The exact path of the body of free:1 (w = 0) or tethers:1 (w = sqrt 20). `w` is the angular
// frequency of the tether.
class Path {
 public:
  Path(const char* scene, double w) : w_(w) {
    const Scene made = built_in_scene(scene).value();
    x0_ = made.bodies.front().position;
    v0_ = made.bodies.front().velocity;
  }

  Vec3 position(double t) const {
    const Vec3 g{0, -kGravity, 0};
    if (w_ == 0) return x0_ + t * v0_ + (t * t / 2) * g;
    const double s = std::sin(w_ * t) / w_;
    return x0_ + s * v0_ + ((1 - std::cos(w_ * t)) / (w_ * w_)) * g;
  }
  Vec3 velocity(double t) const {
    const Vec3 g{0, -kGravity, 0};
    if (w_ == 0) return v0_ + t * g;
    return std::cos(w_ * t) * v0_ + (std::sin(w_ * t) / w_) * g;
  }
  // Bounds the n-th derivative of the position for n >= 3: amplitude times w^n.
  double derivative(int n) const {
    if (w_ == 0) return 0;
    return (length(v0_) / w_ + kGravity / (w_ * w_)) * std::pow(w_, n);
  }

 private:
  Vec3 x0_;
  Vec3 v0_;
  double w_;
};

Path free_path() { return Path("free:1", 0); }
Path tether_path() { return Path("tethers:1", std::sqrt(20.0)); }

// Returns a snapshot as received: exact position, velocity in binary32.
client::Snapshot snapshot_at(const Path& path, std::uint64_t tick) {
  const double t = static_cast<double>(tick) * kTickTime;
  client::Snapshot snapshot;
  snapshot.tick = Tick{tick};
  codec::BodyState body;
  body.tick = snapshot.tick;
  body.position = path.position(t);
  body.velocity = widen(narrow(path.velocity(t)));
  snapshot.bodies.push_back(body);
  return snapshot;
}

struct Conditions {
  double delay;   // of the frame relative to the server, in ticks
  double loss;    // share of the snapshots
  double jitter;  // maximum delay of a snapshot in ticks
};

constexpr Conditions kGood{2, 0, 0};
constexpr Conditions kLossy{8, 0.2, 2};
constexpr Conditions kBeyond{-3, 0.2, 1};  // at least 3 ticks ahead of the newest snapshot

constexpr double kLongestFrame = 0.7;  // ticks

// Bounds the error of the position, with the full correction, between two snapshots that are `gap`
// ticks (time T) apart. dt is the longest frame. J bounds the third derivative of the position, M
// the fourth. `d` is the rounding of a velocity. The bound is the sum of these errors over T:
//
// - velocity, J dt^2 / 6: the first step. Later changes of the step length add as much at most,
//   because their sum telescopes.
// - acceleration, M T^2 / 12: the second derivative of a Hermite cubic.
// - acceleration, M dt^2 / 12: the Verlet step.
// - acceleration, 6 d / T, and velocity, d: the rounded velocities of both snapshots.
// - position, 1e-6 ticks times the speed: steps below 1e-6 ticks are put off to a later frame.
// - position, 2e-8: a step just above 1e-6 ticks magnifies the rounding of the position.
double between_bound(const Path& path, double speed, double gap) {
  const double d = 0x1p-24 * speed;
  const double t = gap * kTickTime;
  const double dt = kLongestFrame * kTickTime;
  return path.derivative(3) * dt * dt * t / 3 +
         path.derivative(4) * t * t * (t * t + dt * dt) / 24 + 4 * d * t +
         speed * 1e-6 * kTickTime + 2e-8;
}

// Bounds the additional error `since` ticks after the newest snapshot. The interpolator estimates
// the acceleration from the last two intervals, which have `memory` ticks together. It uses zero if
// the acceleration changed its sign there.
double beyond_bound(const Path& path, double speed, double since, double memory) {
  const double d = 0x1p-24 * speed;
  const double t = since * kTickTime;
  return path.derivative(3) * t * t * (memory * kTickTime / 2 + t / 6) + 3 * d / kTickTime * t * t;
}

struct Errors {
  double square_sum = 0;
  double largest = 0;
  double worst_share = 0;  // largest ratio of an error to its bound
  int frames = 0;

  double rms() const { return std::sqrt(square_sum / frames); }
};

// Plays 290 ticks (about five seconds) with frames of 0.05 to 0.7 ticks.
class Playback {
 public:
  Playback(const Path& path, const Conditions& conditions, std::uint64_t seed)
      : path_(path), conditions_(conditions), draw_(seed) {
    for (std::uint64_t tick = 0; tick <= 330; ++tick) {
      const double late = conditions.jitter * (draw_.symmetric() + 1) / 2;
      const bool lost = tick > 3 && (draw_.symmetric() + 1) / 2 < conditions.loss;
      arrivals_.push_back(lost ? 1e9 : static_cast<double>(tick) + late);
    }
  }

  Errors run(client::Motion motion) {
    client::BodyInterpolator frame(kTickTime, 60, motion);
    Errors errors;
    std::set<std::uint64_t> have;
    double extrapolated_from = -1;
    double memory = 0;
    for (double now = 10; now < 300;) {
      for (std::uint64_t tick = 0; tick < arrivals_.size(); ++tick) {
        if (arrivals_[tick] <= now && have.insert(tick).second) frame.add(snapshot_at(path_, tick));
      }
      const double at = now - conditions_.delay;
      const Vec3 shown = frame.advance(at).front().position;
      const auto next = have.upper_bound(static_cast<std::uint64_t>(at));
      const auto from = std::prev(next);
      const auto start = static_cast<double>(*from);
      if (next == have.end()) {
        extrapolated_from = start;
        memory = start - static_cast<double>(*std::prev(from, 2));
      }
      // Bounds the speed everywhere between the snapshots around `at`.
      const double speed = length(path_.velocity(at * kTickTime)) + 2;
      const double gap = next == have.end() ? 0 : static_cast<double>(*next) - start;
      double bound = between_bound(path_, speed, gap);
      if (extrapolated_from == start) bound += beyond_bound(path_, speed, at - start, memory);
      const double error = length(shown - path_.position(at * kTickTime));
      errors.square_sum += error * error;
      errors.largest = std::max(errors.largest, error);
      errors.worst_share = std::max(errors.worst_share, error / bound);
      ++errors.frames;
      now += 0.05 + (kLongestFrame - 0.05) * (draw_.symmetric() + 1) / 2;
    }
    return errors;
  }

 private:
  const Path& path_;
  Conditions conditions_;
  SplitMix64 draw_;
  std::vector<double> arrivals_;
};

// Checks the full correction against its bound. Returns the rms error of the published correction
// divided by the rms error of the full correction.
double compare(const char* what, const Path& path, const Conditions& conditions) {
  Errors sum[2];
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto motion : {kPublished, kFull}) {
      const Errors errors = Playback(path, conditions, seed).run(motion);
      Errors& all = sum[motion == kFull];
      all.square_sum += errors.square_sum;
      all.frames += errors.frames;
      all.largest = std::max(all.largest, errors.largest);
      if (motion == kFull) {
        EXPECT_LT(errors.worst_share, 1) << what << ", seed " << seed;
        all.worst_share = std::max(all.worst_share, errors.worst_share);
      }
    }
  }
  const double gain = sum[0].rms() / sum[1].rms();
  std::printf(
      "%s: rms published %.2e, full %.2e m (%.1f times better); largest %.2e, %.2e m; "
      "at most %.2f of the bound\n",
      what, sum[0].rms(), sum[1].rms(), gain, sum[0].largest, sum[1].largest, sum[1].worst_share);
  return gain;
}

TEST(BodyInterpolator, FreeFlightBetweenSnapshotsIsExactButForRounding) {
  EXPECT_GT(compare("free, every snapshot", free_path(), kGood), 1000);
}

TEST(BodyInterpolator, FreeFlightWithLossAndJitter) {
  EXPECT_GT(compare("free, 20 % lost", free_path(), kLossy), 1000);
}

TEST(BodyInterpolator, FreeFlightBeyondTheLastSnapshot) {
  EXPECT_GT(compare("free, beyond", free_path(), kBeyond), 100);
}

TEST(BodyInterpolator, TetherBetweenSnapshots) {
  EXPECT_GT(compare("tethers, every snapshot", tether_path(), kGood), 20);
}

TEST(BodyInterpolator, TetherWithLossAndJitter) {
  EXPECT_GT(compare("tethers, 20 % lost", tether_path(), kLossy), 10);
}

// Beyond the newest snapshot, most of the error comes from the change of the acceleration, which no
// client can know. Both corrections have this error, so they are about equally good.
TEST(BodyInterpolator, TetherBeyondTheLastSnapshot) {
  EXPECT_GT(compare("tethers, beyond", tether_path(), kBeyond), 0.9);
}

bool finite(const std::vector<client::BodyPose>& poses) {
  return std::all_of(poses.begin(), poses.end(), [](const client::BodyPose& p) {
    const double sum = p.position.x + p.position.y + p.position.z + p.orientation.x +
                       p.orientation.y + p.orientation.z + p.orientation.w;
    return std::isfinite(sum);
  });
}

// Frames of zero, tiny and huge length, backwards too. Then infinite times and NaN.
TEST(BodyInterpolator, AnyTimesGiveFinitePosesNearThePath) {
  const Path path = tether_path();
  for (const auto motion : {kPublished, kFull}) {
    client::BodyInterpolator frame(kTickTime, 60, motion);
    EXPECT_TRUE(frame.advance(3).empty());
    for (std::uint64_t tick = 100; tick < 112; ++tick) frame.add(snapshot_at(path, tick));
    SplitMix64 draw(7);
    const double jumps[] = {0, 1e-300, 1e-12, 1e-5, 0.01, 0.3, -0.2, 3, -5, 1e9, -1e300};
    double at = 100;
    for (int i = 0; i < 20000; ++i) {
      at += jumps[draw.below(std::size(jumps))];
      if (at < 100 || at > 200) at = 100 + 6 * (draw.symmetric() + 1);
      const std::vector<client::BodyPose>& poses = frame.advance(at);
      ASSERT_TRUE(finite(poses));
      ASSERT_EQ(poses.size(), 1u);
      const double shown = std::clamp(at, 100.0, 111 + kExtrapolatedTicks);
      ASSERT_LT(length(poses.front().position - path.position(shown * kTickTime)),
                shown <= 111 ? 0.01 : 0.5)
          << "frame " << i << " at " << at;
    }
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(finite(frame.advance(infinity)));
    EXPECT_EQ(frame.advance(infinity).size(), 1u);
    const Vec3 last = frame.advance(infinity).front().position;
    EXPECT_EQ(frame.advance(std::nan("")).front().position, last);
    EXPECT_TRUE(frame.advance(-infinity).empty());
  }
}

// An impulse just before the newest snapshot must not count as an acceleration that continues.
TEST(BodyInterpolator, ABlowInTheLastIntervalIsNotExtrapolated) {
  client::BodyInterpolator frame(kTickTime, 60);
  for (std::uint64_t tick = 0; tick <= 4; ++tick) {
    client::Snapshot snapshot;
    snapshot.tick = Tick{tick};
    codec::BodyState body;
    body.tick = snapshot.tick;
    if (tick == 4) body.velocity = {6, 0, 0};
    snapshot.bodies.push_back(body);
    frame.add(snapshot);
  }
  const double shown = frame.advance(4 + 6).front().position.x;
  EXPECT_NEAR(shown, 6 * 6 * kTickTime, 1e-12);
}

client::Snapshot snapshot_of(std::uint64_t tick, const std::vector<BodyId>& ids) {
  client::Snapshot snapshot;
  snapshot.tick = Tick{tick};
  for (const BodyId id : ids) {
    snapshot.bodies.push_back({});
    snapshot.bodies.back().id = id;
    snapshot.bodies.back().tick = snapshot.tick;
    snapshot.bodies.back().position.x = id.value;
  }
  return snapshot;
}

std::vector<BodyId> ids_at(client::BodyInterpolator& frame, double tick) {
  std::vector<BodyId> ids;
  for (const client::BodyPose& pose : frame.advance(tick)) ids.push_back(pose.id);
  return ids;
}

TEST(BodyInterpolator, BodiesComeAndGoWhenTheSnapshotsSay) {
  using Ids = std::vector<BodyId>;
  const BodyId a{0}, b{1}, c{2};
  const BodyId next_b = make_body_id(1, 1);
  client::BodyInterpolator frame(kTickTime, 60);
  frame.add(snapshot_of(10, {a, b}));
  frame.add(snapshot_of(12, {a, c}));
  frame.add(snapshot_of(11, {a, b}));  // arrives after tick 12
  EXPECT_EQ(ids_at(frame, 9), Ids{});
  EXPECT_EQ(ids_at(frame, 10), (Ids{a, b}));
  EXPECT_EQ(ids_at(frame, 11.9), (Ids{a, b}));
  EXPECT_EQ(ids_at(frame, 12), (Ids{a, c}));
  frame.add(snapshot_of(14, {a, next_b, c}));
  EXPECT_EQ(ids_at(frame, 13), (Ids{a, c}));
  EXPECT_EQ(ids_at(frame, 14), (Ids{a, next_b, c}));
  frame.add(snapshot_of(13, {a, b, c}));  // arrives late: next_b already has slot 1
  EXPECT_EQ(ids_at(frame, 15), (Ids{a, next_b, c}));
}

// After a long gap without snapshots, a body moves from its old position to its new one.
TEST(BodyInterpolator, AfterALongTimeABodyGoesBetweenWhereItWasAndIs) {
  for (const std::uint64_t gap : {30u, 150u, 600u}) {
    client::BodyInterpolator frame(kTickTime, 60);
    client::Snapshot snapshot = snapshot_of(10, {BodyId{0}});
    frame.add(snapshot);
    frame.advance(9.0 + static_cast<double>(gap));  // shows the body at rest
    snapshot = snapshot_of(10 + gap, {BodyId{0}});
    snapshot.bodies[0].position.x = 1;
    frame.add(snapshot);
    double before = 0;
    for (double at = 6; at <= 12; at += 0.5) {
      const double x = frame.advance(at + static_cast<double>(gap)).front().position.x;
      EXPECT_GE(x, before);
      EXPECT_LE(x, 1.0);
      before = x;
    }
    EXPECT_EQ(before, 1.0);
  }
}

// Only the newest 16 states are kept. Before them a body does not move, however it moves later.
TEST(BodyInterpolator, BeforeItsOldestStateABodyHasThePoseOfThatState) {
  for (const client::Motion motion : {client::Motion::interpolate, kFull, kPublished}) {
    client::BodyInterpolator frame(kTickTime, 60, motion);
    for (std::uint64_t tick = 1; tick <= 30; ++tick) {
      client::Snapshot snapshot = snapshot_of(tick, {BodyId{0}});
      snapshot.bodies[0].position.x = static_cast<double>(tick);
      snapshot.bodies[0].velocity.x = 60;
      frame.add(snapshot);
    }
    EXPECT_EQ(frame.advance(5.5).front().position.x, 15);
    EXPECT_NEAR(frame.advance(15.5).front().position.x, 15.5, 1e-9);
  }
}

// A server may announce a million bodies. Each takes memory only for received states.
TEST(BodyInterpolator, ABodyTakesRoomForWhatHasCome) {
  constexpr std::uint32_t kBodies = 10'000;
  client::Snapshot snapshot;
  snapshot.tick = Tick{1};
  for (std::uint32_t i = 0; i < kBodies; ++i) {
    codec::BodyState& body = snapshot.bodies.emplace_back();
    body.id = BodyId{i};
    body.tick = snapshot.tick;
  }
  client::BodyInterpolator frame(kTickTime, 60);
  const auto held = [] {
    const auto memory = mallinfo2();
    return memory.uordblks + memory.hblkhd;
  };
  const std::size_t before = held();
  frame.add(snapshot);
  EXPECT_LE(held(), before + kBodies * sizeof(codec::BodyState) * 4);
}

}  // namespace
}  // namespace orrery
