// Defines the command line of `orrery lab`.
#include "client/cli/arguments.h"
#include "client/cli/verbs/lab.h"
#include "common/host/process/command_line.h"

namespace orrery::cli {

namespace {

constexpr const char* kStepsAbout = "Number of steps, at most 1000000000";
constexpr const char* kStepAbout = "Time step in seconds, as a number or a ratio: 0.01, 1/60";

void add_choice(CLI::App* verb, LabChoice& choice) {
  verb->add_option("--method", choice.method, "Integration method, from `orrery lab methods`")
      ->required()
      ->type_name("NAME");
  verb->add_option("--problem", choice.problem, "Test problem, from `orrery lab problems`")
      ->required()
      ->type_name("NAME");
  verb->add_option("--set", choice.settings,
                   "Parameters of the problem, from `orrery lab problems`; or beta and gamma of "
                   "the method newmark")
      ->type_name("KEY=VALUE");
  add_json(verb, choice.json);
}

void add_run(CLI::App& lab, LabRunOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(lab, "run", "Run a method on a problem and measure its errors",
               "  orrery lab run --method rk4 --problem oscillator --dt 0.1 --steps 90 --set k=9\n"
               "  orrery lab run --method tcv --problem projectile --dt 1/30 --steps 120",
               chosen, [&options] { return lab_run(options); });
  add_choice(verb, options);
  verb->add_option("--dt", options.dt, kStepAbout)->required()->type_name("S");
  verb->add_option("--steps", options.steps, kStepsAbout)
      ->required()
      ->check(host::kAnyNumber)
      ->type_name("N");
  verb->add_option("--substeps", options.substeps,
                   "Divide each step into N equal steps, at most 10000")
      ->capture_default_str()
      ->check(host::kAnyNumber)
      ->type_name("N");
  verb->add_option("--random-dt", options.random_dt,
                   "Draw each step after the first between dt/2 and 3dt/2, with this seed")
      ->default_str("equal steps")
      ->check(host::kAnyNumber)
      ->type_name("SEED");
  verb->add_option("--precision", options.precision,
                   "Floating-point type: float, double or long-double")
      ->capture_default_str()
      ->type_name("TYPE");
}

void add_measurements(CLI::App& lab, LabOptions& options, Verb& chosen) {
  CLI::App* verb = add_verb(lab, "order", "Measure the order of a method: the slope of its error",
                            "  orrery lab order --method pefrl --problem kepler", chosen,
                            [&options] { return lab_order(options.order); });
  add_choice(verb, options.order);
  verb =
      add_verb(lab, "stability", "Find the largest stable step, and the spectral radius",
               "  orrery lab stability --method semi-implicit-euler --problem oscillator\n"
               "  orrery lab stability --method explicit-euler --problem damped --set k=15 b=0.1",
               chosen, [&options] { return lab_stability(options.stability); });
  add_choice(verb, options.stability);
  verb->add_option("--dt", options.stability.dt,
                   "Time step of the spectral radius in seconds, as a number or a ratio")
      ->capture_default_str()
      ->type_name("S");
  verb = add_verb(lab, "energy", "Measure the drift of energy over many periods",
                  "  orrery lab energy --method velocity-verlet --problem kepler --periods 1000",
                  chosen, [&options] { return lab_energy(options.energy); });
  add_choice(verb, options.energy);
  verb->add_option("--steps-per-period", options.energy.steps_per_period,
                   "Number of steps in a period, at most 100000")
      ->capture_default_str()
      ->check(host::kAnyNumber)
      ->type_name("N");
  verb->add_option("--periods", options.energy.periods, "Number of periods, at least 20")
      ->capture_default_str()
      ->check(host::kAnyNumber)
      ->type_name("N");
}

void add_rotate(CLI::App& lab, LabRotateOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(lab, "rotate", "Rotate a free body; measure energy, momentum and flips",
               "  orrery lab rotate --method implicit-gyro\n"
               "  orrery lab rotate --method cayley --inertia 1,2,3 --omega 0,5,0.01 --dt 1/60",
               chosen, [&options] { return lab_rotate(options); });
  verb->add_option("--method", options.method, "Rotation method, from `orrery lab methods`")
      ->required()
      ->type_name("NAME");
  verb->add_option("--inertia", options.inertia, "Principal moments of inertia")
      ->capture_default_str()
      ->type_name("A,B,C");
  verb->add_option("--omega", options.omega, "Initial angular velocity in body axes, in rad/s")
      ->capture_default_str()
      ->type_name("X,Y,Z");
  verb->add_option("--dt", options.dt, kStepAbout)->capture_default_str()->type_name("S");
  verb->add_option("--steps", options.steps, kStepsAbout)
      ->capture_default_str()
      ->check(host::kAnyNumber)
      ->type_name("N");
  add_json(verb, options.json);
}

void add_claims(CLI::App& lab, LabClaimsOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(lab, "claims", "Check the claims of the source documents by measurements",
               "  orrery lab claims\n"
               "  orrery lab claims S1-16 S2-13\n"
               "  orrery lab claims --thorough",
               chosen, [&options] { return lab_claims(options); });
  verb->add_option("ID", options.ids, "Claims to measure")->default_str("all");
  verb->add_flag("--thorough", options.thorough, "Include the long runs, which take some minutes");
  add_json(verb, options.json);
}

void add_plot(CLI::App& lab, LabPlotOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(lab, "plot", "Draw a figure with gnuplot",
                                  "  orrery lab plot --list\n"
                                  "  orrery lab plot phase-semi-implicit-euler -o phase.svg",
                                  chosen, [&options] { return lab_plot(options); });
  verb->add_option("FIGURE", options.figure, "Figure to draw, from --list");
  verb->add_option("-o,--output", options.output,
                   "Picture to write, .svg or .png. An existing file is replaced")
      ->type_name("FILE");
  verb->add_flag("--list", options.list, "List the figures");
  add_json(verb, options.json);
}

}  // namespace

void add_lab(CLI::App& app, LabOptions& options, Verb& chosen) {
  CLI::App* const lab =
      add_group(app, "lab", "Measure integration methods: order, stability, energy",
                "  orrery lab methods\n"
                "  orrery lab run --method rk4 --problem damped --dt 0.01 --steps 1000\n"
                "  orrery lab claims");
  add_json(add_verb(*lab, "methods", "List the integration and rotation methods",
                    "  orrery lab methods --json", chosen,
                    [&options] { return lab_methods(options.json); }),
           options.json);
  add_json(
      add_verb(*lab, "problems", "List the test problems and their parameters",
               "  orrery lab problems", chosen, [&options] { return lab_problems(options.json); }),
      options.json);
  add_run(*lab, options.run, chosen);
  add_measurements(*lab, options, chosen);
  add_rotate(*lab, options.rotate, chosen);
  add_claims(*lab, options.claims, chosen);
  add_plot(*lab, options.plot, chosen);
}

}  // namespace orrery::cli
