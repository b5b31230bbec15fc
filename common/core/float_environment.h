// Owns the check that the processor computes as IEEE 754 says, in this thread.
#pragma once

namespace orrery {

// Returns true if binary64 rounds to nearest even and keeps subnormal numbers, as operands and as
// results, and no floating-point exception is unmasked: one that is ends the process by a signal.
// One library linked with -ffast-math turns subnormals off for a whole process, so this is asked at
// start-up and in every thread that steps a world.
bool float_environment_is_sound();

}  // namespace orrery
