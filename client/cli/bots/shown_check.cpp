// Compares poses that clients have shown with the log of the session.
#include "client/cli/bots/shown_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace orrery::client {
namespace {

// Allowed rounding error: of a position p relative to 1 + |p|, and of an angle in radians.
constexpr double kRounding = 1e-6;

// The state of a body after a tick of the log.
struct State {
  Vec3 position;
  Vec3 velocity;
  Quat orientation;
  Vec3 spin;
};

// Returns the angle between two orientations, in radians.
double angle(const Quat& a, const Quat& b) {
  const Quat turn = a * conjugate(b);
  const double sine = length({turn.x, turn.y, turn.z});
  return 2 * std::atan2(sine, std::abs(turn.w));
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(const State& state, const BodyPose& pose) {
  const Vec3& p = state.position;
  const Quat& q = state.orientation;
  return same_bits(p.x, pose.position.x) && same_bits(p.y, pose.position.y) &&
         same_bits(p.z, pose.position.z) && same_bits(q.x, pose.orientation.x) &&
         same_bits(q.y, pose.orientation.y) && same_bits(q.z, pose.orientation.z) &&
         same_bits(q.w, pose.orientation.w);
}

// A shown pose, and what the log says about the motion of its body. The ticks of the log are added
// one by one.
class Comparison {
 public:
  explicit Comparison(const Shown& shown) : shown_(shown) {}

  // Return the first and the last tick that the comparison needs.
  std::uint64_t first() const { return is_extrapolated() ? shown_.earliest : shown_.before; }
  std::uint64_t last() const { return is_extrapolated() ? shown_.before : shown_.after; }
  bool is_exact() const { return shown_.pose.quality == Quality::exact; }
  bool is_extrapolated() const { return is_exact() || shown_.after == 0; }

  // Adds the next tick. REQUIRES: ticks from first() to last() in order.
  void add(const World& world);
  // Returns the fault, if the pose is wrong. REQUIRES: all ticks were added.
  std::string fault(const World& world) const;
  // Returns the distance from the log. REQUIRES: all ticks were added; the pose is between states.
  double error() const { return length(shown_.pose.position - expected_); }

 private:
  double duration(const World& world) const;
  double reach(double duration, double tick_time) const;

  Shown shown_;
  bool existed_ = false;  // in a tick from `before` on
  bool has_state_ = false;
  State last_;         // of the last tick that was added
  State before_;       // at `before`
  Vec3 expected_;      // the position in the log at the shown tick
  double path_ = 0;    // length of the path from `before` on
  double turned_ = 0;  // the same for the rotation, in radians
  double speed_ = 0;   // largest speed from `before` on
  double spin_ = 0;
  double acceleration_ = 0;  // largest acceleration, in units per tick and time unit
};

void Comparison::add(const World& world) {
  const std::uint64_t tick = world.tick().value;
  const std::uint32_t slot = slot_of(shown_.pose.id);
  const Bodies& bodies = world.bodies();
  if (slot >= bodies.slots() || !bodies.alive(slot) || body_id(world, slot) != shown_.pose.id) {
    return;
  }
  const State state{bodies.position(slot), bodies.velocity(slot), bodies.orientation(slot),
                    bodies.angular_velocity(slot)};
  const State previous = std::exchange(last_, state);
  const bool has_previous = std::exchange(has_state_, true);
  if (has_previous) {
    acceleration_ = std::max(acceleration_, length(state.velocity - previous.velocity));
  }
  if (tick < shown_.before) return;
  if (!std::exchange(existed_, true)) {
    before_ = state;
    expected_ = state.position;
  } else {
    path_ += length(state.position - previous.position);
    turned_ += angle(state.orientation, previous.orientation);
  }
  speed_ = std::max(speed_, length(state.velocity));
  spin_ = std::max(spin_, length(state.spin));
  const double after = static_cast<double>(tick) - shown_.tick;
  if (after <= 0) expected_ = state.position;
  if (after > 0 && after < 1 && has_previous) {
    expected_ = state.position - after * (state.position - previous.position);
  }
}

// Returns the time from the state before the pose to the end of the motion that the pose shows.
double Comparison::duration(const World& world) const {
  const auto before = static_cast<double>(shown_.before);
  const double extrapolated = BodyInterpolator::kExtrapolatedSeconds * world.scene().tick_rate;
  const double until = is_extrapolated() ? std::min(shown_.tick, before + extrapolated)
                                         : static_cast<double>(shown_.after);
  return (until - before) * world.tick_time();
}

// Returns the largest distance that a correct pose may have from the state before it. Two cases:
// - Between two states with a distance d, a time h between them and speeds up to v: the
//   acceleration of the cubic curve is at most 6 d / h^2 + 6 v / h. A motion with the speed v and
//   this acceleration ends at most 3 d + 4 v h from its start.
// - After the newest state: the speed of this state, and the acceleration before it, bound the
//   motion.
double Comparison::reach(double duration, double tick_time) const {
  const double rounding = kRounding * (1 + length(before_.position));
  if (!is_extrapolated()) return rounding + 3 * path_ + 4 * speed_ * duration;
  return rounding + 1.01 * speed_ * duration + acceleration_ / tick_time * duration * duration;
}

std::string Comparison::fault(const World& world) const {
  const auto text = [&](const std::string& what) {
    return "body " + std::to_string(shown_.pose.id.value) + " at tick " +
           std::to_string(shown_.tick) + ' ' + what;
  };
  if (!existed_) return text("was shown, but is not in the log");
  if (is_exact()) return same_bits(last_, shown_.pose) ? "" : text("differs from the log");
  const double time = duration(world);
  const double off = length(shown_.pose.position - before_.position);
  const double most = reach(time, world.tick_time());
  if (!(off <= most)) {
    return text("was shown " + std::to_string(off) + " from its last state, at most " +
                std::to_string(most) + " is possible");
  }
  const double turned = angle(shown_.pose.orientation, before_.orientation);
  const double most_turned = kRounding + turned_ + 3 * spin_ * time;
  if (turned <= most_turned) return "";
  return text("was shown turned by " + std::to_string(turned) + ", at most " +
              std::to_string(most_turned) + " is possible");
}

void conclude(const Comparison& comparison, const World& world, ShownReport& report) {
  ++report.compared;
  report.exact += comparison.is_exact();
  if (const std::string fault = comparison.fault(world); !fault.empty()) {
    if (report.wrong++ == 0) report.first_wrong = fault;
  } else if (!comparison.is_extrapolated()) {
    const double error = comparison.error();
    report.error_max = std::max(report.error_max, error);
    report.error_squares += error * error;
    ++report.measured;
  } else {
    report.extrapolated += !comparison.is_exact();
  }
}

}  // namespace

double ShownReport::error_rms() const {
  return measured == 0 ? 0 : std::sqrt(error_squares / static_cast<double>(measured));
}

Result<ShownReport> compare_shown(std::vector<Shown> shown, session::Playback& log,
                                  Executor& executor, const std::function<void()>& progress) {
  std::vector<Comparison> waiting(shown.begin(), shown.end());
  std::sort(waiting.begin(), waiting.end(),
            [](const Comparison& a, const Comparison& b) { return a.first() > b.first(); });
  ShownReport report;
  std::vector<Comparison> begun;
  for (std::uint64_t tick = 0; !waiting.empty() || !begun.empty(); ++tick) {
    if (begun.empty()) tick = waiting.back().first();
    if (const Status moved = log.go_to(Tick{tick}, executor); !moved) return moved.error();
    const std::uint64_t reached = log.world().tick().value;
    if (reached < tick) break;
    if (reached > tick) report.unlogged += std::exchange(begun, {}).size();  // a gap in the log
    tick = reached;
    for (; !waiting.empty() && waiting.back().first() <= tick; waiting.pop_back()) {
      if (waiting.back().first() == tick) {
        begun.push_back(waiting.back());
      } else {
        ++report.unlogged;
      }
    }
    for (Comparison& comparison : begun) comparison.add(log.world());
    std::erase_if(begun, [&](const Comparison& comparison) {
      if (comparison.last() > tick) return false;
      conclude(comparison, log.world(), report);
      return true;
    });
    progress();
  }
  report.unlogged += waiting.size() + begun.size();
  return report;
}

}  // namespace orrery::client
