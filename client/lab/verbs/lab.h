// Declares the verbs of `orrery lab`.
#pragma once

#include "client/cli/command_line/arguments.h"

namespace orrery::cli {

void add_lab_methods(Verb& lab);
void add_lab_problems(Verb& lab);
void add_lab_run(Verb& lab);
void add_lab_order(Verb& lab);
void add_lab_stability(Verb& lab);
void add_lab_energy(Verb& lab);
void add_lab_rotate(Verb& lab);
void add_lab_claims(Verb& lab);
void add_lab_plot(Verb& lab);

}  // namespace orrery::cli
