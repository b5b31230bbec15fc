// Checks that floating-point arithmetic follows IEEE 754 in the calling thread.
#pragma once

namespace orrery {

// Returns true if binary64 arithmetic is set up as the simulation needs it:
// - It rounds to nearest, ties to even.
// - It keeps subnormal numbers, both as operands and as results.
// - All floating-point exceptions are masked. An unmasked one ends the process with a signal.
//
// One library linked with -ffast-math turns subnormals off for the whole process. Call this at
// start-up and in every thread that steps a world.
bool float_environment_is_sound();

}  // namespace orrery
