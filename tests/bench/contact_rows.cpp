// Measures speed and quality of contacts, compared with Bullet and ODE.
#include <memory>
#include <string>

#include "common/world/fault_injector.h"
#include "common/world/image/image.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/bench/contact_peers.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"

namespace orrery::bench {
namespace {

constexpr int kOdeIterations = 10;  // equal to Bullet's default

struct Case {
  const char* scene;
  int ticks;
  const char* aim;        // ticks per CPU second
  const char* aim_ratio;  // aim for ticks per CPU second, as a multiple of the faster peer's
};

// Returns the quality of a state. All engines are measured with Orrery's exact overlap of all
// pairs, at the poses that the engine computed.
std::string quality(const World& world) {
  SerialExecutor serial;
  const ContactReport report = report_contacts(world, serial);
  return format("mean overlap %.2f mm of %u, deepest %.1f mm, top %.2f m",
                1e3 * report.mean_overlap, report.overlapping, 1e3 * report.deepest_overlap,
                report.top);
}

std::string quality(const ContactPeer& peer, const Scene& scene) {
  World world(scene);
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
    const Pose pose = peer.pose(i);
    FaultInjector(world).state().bodies.set_position(i, pose.position);
    FaultInjector(world).state().bodies.set_orientation(i, pose.orientation);
  }
  return quality(world);
}

struct Measured {
  double rate = 0;  // steps per CPU second in the best round
  std::string quality;
};

Measured measure_ours(const Scene& scene, int ticks) {
  Best best;
  Measured measured;
  for (int round = 0; round < kRounds; ++round) {
    World world(scene);
    SerialExecutor serial;
    best.run([&] {
      for (int i = 0; i < ticks; ++i) step(world, {}, serial);
    });
    if (round == 0) measured.quality = quality(world);
  }
  measured.rate = ticks / best.seconds();
  return measured;
}

// Measures a peer in only two rounds, because each takes seconds.
template <class Make>
Measured measure_peer(const Scene& scene, int ticks, Make make) {
  constexpr int kPeerRounds = 2;
  Best best;
  Measured measured;
  for (int round = 0; round < kPeerRounds; ++round) {
    const std::unique_ptr<ContactPeer> peer = make();
    best.run([&] {
      for (int i = 0; i < ticks; ++i) peer->step(tick_time(scene));
    });
    if (round == 0) measured.quality = quality(*peer, scene);
  }
  measured.rate = ticks / best.seconds();
  return measured;
}

void print_case(const Case& c) {
  const Scene scene = built_in_scene(c.scene).value();
  const Measured ours = measure_ours(scene, c.ticks);
  const Measured bullet = measure_peer(scene, c.ticks, [&] { return bullet_peer(scene); });
  const Measured ode =
      measure_peer(scene, c.ticks, [&] { return ode_peer(scene, kOdeIterations); });
  const double better = std::max(bullet.rate, ode.rate);
  print_row(format("%s, %d ticks, ticks per CPU second", c.scene, c.ticks), c.aim,
            format("%.0f", ours.rate), ours.quality);
  print_row("the same, times the better of Bullet and ODE", c.aim_ratio,
            format("%.1f", ours.rate / better), "one thread, CPU time");
  print_row("the same scene in Bullet", "-", format("%.0f", bullet.rate), bullet.quality);
  print_row("the same scene in ODE", "-", format("%.0f", ode.rate), ode.quality);
}

// Prints how much the time per body and tick depends on the number of balls that fall onto each
// other.
void print_contact_sizes() {
  constexpr int kTicks = 60;
  std::string beside;
  double least = 1e300, most = 0;
  for (const int count : {10'000, 100'000, 1'000'000}) {
    World world(built_in_scene(format("spheres:%d", count)).value());
    SerialExecutor serial;
    for (int i = 0; i < 10; ++i) step(world, {}, serial);
    Best best;
    best.run([&] {
      for (int i = 0; i < kTicks; ++i) step(world, {}, serial);
    });
    const double per_body = 1e9 * best.seconds() / kTicks / count;
    least = std::min(least, per_body);
    most = std::max(most, per_body);
    beside += format("%s%.0f", beside.empty() ? "" : ", ", per_body);
  }
  print_row("spheres:10000, 100000, 1000000, largest time per body, times the least", "2",
            format("%.2f", most / least), beside + " ns a body and tick");
}

// Prints the gain from sleeping for the field of cubes: with sleeping, without sleeping, and with
// sleeping but without the scripts. Scripts move bodies that wake other bodies.
void print_sleep() {
  constexpr int kTicks = 600;
  Scene scene = built_in_scene("cubes").value();
  const double asleep = measure_ours(scene, kTicks).rate;
  scene.sleeping = false;
  const double awake = measure_ours(scene, kTicks).rate;
  scene.sleeping = true;
  scene.scripts.clear();
  const double alone = measure_ours(scene, kTicks).rate;
  print_row("cubes, 600 steps, steps per CPU second, times those without sleep", "-",
            format("%.1f", asleep / awake),
            format("%.0f and %.0f steps/s; %.0f if nobody moves", asleep, awake, alone));
}

void print_contact_image() {
  constexpr int kTicks = 200;
  World world(built_in_scene("spheres:10000").value());
  SerialExecutor serial;
  for (int i = 0; i < kTicks; ++i) step(world, {}, serial);
  std::vector<std::uint8_t> image;
  save_image(world, image);
  Best save, restore;
  for (int round = 0; round < kRounds; ++round) {
    save.run([&] { save_image(world, image); });
    restore.run([&] {
      if (!restore_image(world, image)) std::abort();
    });
  }
  print_row("spheres:10000, image with contacts, save and restore", "1 ms each",
            format("%.2f and %.2f ms", 1e3 * save.seconds(), 1e3 * restore.seconds()),
            format("%.0f B a body; aim 600", static_cast<double>(image.size()) / 10000));
}

}  // namespace

void print_contact_rows() {
  print_case({"spheres:5000", 300, "300", "4"});
  print_case({"pyramid", 300, "350", "3"});
  print_case({"boxes:1000", 600, "900", "-"});
  print_sleep();
  print_contact_sizes();
  print_contact_image();
}

}  // namespace orrery::bench
