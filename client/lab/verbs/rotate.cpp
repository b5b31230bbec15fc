// Implements `orrery lab rotate`: rotates a free body and measures its energy and momentum.
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/lab/rotation_run.h"
#include "client/lab/verbs/choice.h"
#include "client/lab/verbs/lab.h"
#include "client/lab/verbs/report.h"

namespace orrery::cli {
namespace {

using lab::Real;

struct LabRotateOptions {
  std::string method;
  std::string inertia = "1,2,3";
  std::string omega = "0.01,5,0.01";
  std::string dt = "1/60";
  std::uint64_t steps = 3'600;
  double rolling = 0;
  bool json = false;
};

json::Text triple(const std::array<double, 3>& values) {
  return json::of(Vec3{values[0], values[1], values[2]});
}

void print_rotation(const LabRotateOptions& options, const lab::RotationSetup& setup,
                    const lab::RotationReport& report) {
  const auto clock = lab::exact_flips(setup.inertia, setup.omega);
  const Real time = static_cast<Real>(setup.steps) * static_cast<Real>(setup.dt);
  std::optional<std::uint64_t> exact;
  if (clock && setup.rolling == 0) exact = clock->flips_by(time);
  const auto omega = integrate::divided(integrate::momentum(report.last), setup.inertia);
  const auto& q = report.last.q;
  if (options.json) {
    print(json::object({{"method", options.method},
                        {"dt", setup.dt},
                        {"steps", setup.steps},
                        {"energy_ratio", report.energy_last},
                        {"energy_error", report.energy_error_max},
                        {"momentum_ratio", report.momentum_last},
                        {"momentum_error", report.momentum_error_max},
                        {"direction_error", report.direction_error_max},
                        {"flips", report.flips},
                        {"exact_flips", exact},
                        {"first_flip", report.first_flip},
                        {"angular_velocity", triple(omega)},
                        {"orientation", json::array({json::of(q[0]), json::of(q[1]), json::of(q[2]),
                                                     json::of(q[3])})},
                        {"blew_up_at", report.blew_up_at}}));
    return;
  }
  std::printf("E/E0 = %.10g at the end, largest error %.3e\n", report.energy_last,
              report.energy_error_max);
  std::printf("|L|/|L0| = %.10g at the end, largest error %.3e\n", report.momentum_last,
              report.momentum_error_max);
  std::printf("direction of L: largest error %.3e rad\n", report.direction_error_max);
  std::printf("flips: %llu, exact %s\n", static_cast<unsigned long long>(report.flips),
              exact ? std::to_string(*exact).c_str() : "none");
}

int lab_rotate(const LabRotateOptions& options) {
  const auto inertia = parse_triple("--inertia", options.inertia);
  if (!inertia) return unusable(inertia.error().text());
  const auto omega = parse_triple("--omega", options.omega);
  if (!omega) return unusable(omega.error().text());
  const Result<Real> dt = parse_number("--dt", options.dt);
  if (!dt) return unusable(dt.error().text());
  const lab::RotationSetup setup{options.method, inertia.value(),
                                 omega.value(),  static_cast<double>(dt.value()),
                                 options.steps,  options.rolling};
  if (Status status = lab::check_rotation(setup); !status) return unusable(status.error().text());
  const lab::RotationReport report = lab::run_rotation(setup);
  print_rotation(options, setup, report);
  return exit_code(options.method, report.blew_up_at);
}

}  // namespace

void add_lab_rotate(Verb& lab) {
  auto [verb, options] =
      lab.add_verb("rotate", "Rotate a free body; measure energy, momentum and flips",
                   "  orrery lab rotate --method implicit-gyro\n"
                   "  orrery lab rotate --method cayley --inertia 1,2,3 --omega 0,5,0.01 --dt 1/60",
                   lab_rotate);
  verb.option("--method", options.method, "Rotation method, from `orrery lab methods`")
      .required()
      .type("NAME");
  verb.option("--inertia", options.inertia, "Principal moments of inertia")
      .shows_default()
      .type("A,B,C");
  verb.option("--omega", options.omega, "Initial angular velocity in body axes, in rad/s")
      .shows_default()
      .type("X,Y,Z");
  verb.option("--dt", options.dt, kStepAbout).shows_default().type("S");
  verb.option("--steps", options.steps, kStepsAbout).shows_default().any_number().type("N");
  verb.option(
          "--rolling", options.rolling,
          "Rolling resistance: share of the initial angular momentum that it removes per second")
      .shows_default()
      .number(0, 1e6)
      .type("R");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
