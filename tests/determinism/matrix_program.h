// The program of the determinism matrix, for any executor.
#pragma once

#include "common/core/executor.h"

namespace orrery {

// Does what the command line says, and steps all worlds with `executor`. Returns the exit code.
int run_matrix(int count, char** arguments, Executor& executor);

}  // namespace orrery
