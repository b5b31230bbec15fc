// Adds `orrery lab` and its verbs.
#include "client/lab/verbs/lab.h"

#include "client/cli/verbs/verbs.h"

namespace orrery::cli {

void add_lab(Verb& program) {
  Verb lab =
      program.add_group("lab", "Measure integration methods: order, stability, energy",
                        "  orrery lab methods\n"
                        "  orrery lab run --method rk4 --problem damped --dt 0.01 --steps 1000\n"
                        "  orrery lab claims");
  add_lab_methods(lab);
  add_lab_problems(lab);
  add_lab_run(lab);
  add_lab_order(lab);
  add_lab_stability(lab);
  add_lab_energy(lab);
  add_lab_rotate(lab);
  add_lab_claims(lab);
  add_lab_plot(lab);
}

}  // namespace orrery::cli
