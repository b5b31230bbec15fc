// Owns the command line of `orrery lab`.
#include "client/cli/arguments.h"
#include "client/cli/verbs/lab.h"
#include "common/host/process/command_line.h"

namespace orrery::cli {

namespace {

void add_choice(CLI::App* verb, LabChoice& choice) {
  verb->add_option("--method", choice.method, "A name of `orrery lab methods`")->required();
  verb->add_option("--problem", choice.problem, "A name of `orrery lab problems`")->required();
  verb->add_option("--set", choice.settings,
                   "Parameters of the problem, or beta and gamma of newmark: key=value ...");
  add_json(verb, choice.json);
}

void add_run(CLI::App& lab, LabRunOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(
      lab, "run", "Run a method on a problem and measure its errors",
      "  orrery lab run --method rk4 --problem oscillator --dt 0.25 --steps 360 --set k=15 "
      "x0=1000\n"
      "  orrery lab run --method tcv --problem projectile --dt 1/30 --steps 120 --random-dt 7\n"
      "  orrery lab run --method explicit-euler --problem constant --dt 0.01 --steps 1000 "
      "--precision float",
      chosen, [&options] { return lab_run(options); });
  add_choice(verb, options);
  verb->add_option("--dt", options.dt, "Step in seconds: 0.01, or a ratio such as 1/60")
      ->required();
  verb->add_option("--steps", options.steps, "Steps, at most 1000000000")
      ->required()
      ->check(host::kAnyNumber);
  verb->add_option("--substeps", options.substeps, "Steps of dt/N within each, at most 10000")
      ->check(host::kAnyNumber);
  verb->add_option("--random-dt", options.random_dt,
                   "Seed of steps of dt (1/2 to 3/2), the first one dt")
      ->check(host::kAnyNumber);
  verb->add_option("--precision", options.precision, "float, double or long-double");
}

void add_measurements(CLI::App& lab, LabOptions& options, Verb& chosen) {
  CLI::App* verb = add_verb(lab, "order", "Slope of the error over halvings of the step",
                            "  orrery lab order --method pefrl --problem kepler", chosen,
                            [&options] { return lab_order(options.order); });
  add_choice(verb, options.order);
  verb =
      add_verb(lab, "stability", "Largest stable step by bisection, and the spectral radius",
               "  orrery lab stability --method semi-implicit-euler --problem oscillator\n"
               "  orrery lab stability --method explicit-euler --problem damped --set k=15 b=0.1",
               chosen, [&options] { return lab_stability(options.stability); });
  add_choice(verb, options.stability);
  verb->add_option("--dt", options.stability.dt, "Step at which to tell the spectral radius");
  verb = add_verb(lab, "energy", "Energy over many periods, 100000 unless told",
                  "  orrery lab energy --method velocity-verlet --problem kepler "
                  "--steps-per-period 240",
                  chosen, [&options] { return lab_energy(options.energy); });
  add_choice(verb, options.energy);
  verb->add_option("--steps-per-period", options.energy.steps_per_period, "Steps in a period")
      ->check(host::kAnyNumber);
  verb->add_option("--periods", options.energy.periods, "Periods, at least 20")
      ->check(host::kAnyNumber);
}

void add_rotate(CLI::App& lab, LabRotateOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(lab, "rotate", "Turn a free body and watch energy, momentum and flips",
               "  orrery lab rotate --method cayley --inertia 1,2,3 --omega 0.01,5,0.01 --dt 1/60 "
               "--steps 216000\n"
               "  orrery lab rotate --method implicit-gyro",
               chosen, [&options] { return lab_rotate(options); });
  verb->add_option("--method", options.method, "A rotation method of `orrery lab methods`")
      ->required();
  verb->add_option("--inertia", options.inertia, "Moments about the body's axes: A,B,C");
  verb->add_option("--omega", options.omega, "Spin at first, body axes, rad/s: X,Y,Z");
  verb->add_option("--dt", options.dt, "Step in seconds, or a ratio such as 1/60");
  verb->add_option("--steps", options.steps, "Steps, at most 1000000000")->check(host::kAnyNumber);
  add_json(verb, options.json);
}

void add_claims(CLI::App& lab, LabClaimsOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(
      lab, "claims", "Measure the claims of the source documents; exit 1 if one leaves its bound",
      "  orrery lab claims\n"
      "  orrery lab claims S1-16 S2-13\n"
      "  orrery lab claims --thorough",
      chosen, [&options] { return lab_claims(options); });
  verb->add_option("ID", options.ids, "Only these");
  verb->add_flag("--thorough", options.thorough, "The long runs too: some minutes");
  add_json(verb, options.json);
}

void add_plot(CLI::App& lab, LabPlotOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(lab, "plot", "Draw a figure with gnuplot",
                                  "  orrery lab plot --list\n"
                                  "  orrery lab plot phase-semi-implicit-euler -o phase.svg",
                                  chosen, [&options] { return lab_plot(options); });
  verb->add_option("FIGURE", options.figure, "A name of --list");
  verb->add_option("-o,--output", options.output, "File to write: .svg or .png");
  verb->add_flag("--list", options.list, "List the figures");
  add_json(verb, options.json);
}

}  // namespace

void add_lab(CLI::App& app, LabOptions& options, Verb& chosen) {
  CLI::App* const lab = app.add_subcommand("lab", "The laboratory of integration methods");
  lab->require_subcommand(1);
  lab->footer(
      "Examples:\n"
      "  orrery lab methods\n"
      "  orrery lab run --method rk4 --problem damped --dt 0.01 --steps 1000\n"
      "  orrery lab claims");
  add_json(add_verb(*lab, "methods", "List the methods", "  orrery lab methods --json", chosen,
                    [&options] { return lab_methods(options.json); }),
           options.json);
  add_json(
      add_verb(*lab, "problems", "List the problems and their parameters", "  orrery lab problems",
               chosen, [&options] { return lab_problems(options.json); }),
      options.json);
  add_run(*lab, options.run, chosen);
  add_measurements(*lab, options, chosen);
  add_rotate(*lab, options.rotate, chosen);
  add_claims(*lab, options.claims, chosen);
  add_plot(*lab, options.plot, chosen);
}

}  // namespace orrery::cli
