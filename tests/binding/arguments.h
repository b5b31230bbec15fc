// Draws arguments for calls of the C interface, most of them wrong, and checks the returned codes.
//
// Buffers have exactly the size that is passed, so that the address sanitizer reports an access to
// one byte more.
#ifndef ORRERY_TESTS_ARGUMENTS_H
#define ORRERY_TESTS_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "orrery.h"

// Starts the random numbers. With `planted`, any_structs() never returns null.
void start_arguments(uint64_t seed, int planted);

// Returns a random number below `limit` (splitmix64).
uint32_t below(uint32_t limit);
// Returns 1 in one of eight calls, else 0.
int sometimes(void);

// Prints a message and ends the program.
void broken(const char* what);
// Counts a returned code, and returns it. A code that no call may return ends the program.
int32_t check(int32_t code);
// Returns how often a code was returned.
uint64_t times_returned(int32_t code);

// Returns `size` bytes, to be freed.
void* memory(size_t size);
// Returns `count` structs of `size` bytes, to be freed, or null. Some of their bytes are random if
// `is_input`, else all but the field `size` are zero. The memory is as large as the first struct
// claims in its field `size`, if that is at most 4,096 bytes.
void* any_structs(uint32_t size, uint32_t count, int is_input);
// Returns a number that is sometimes infinite, NaN or very large.
float any_number(void);
// Returns `count` commands, to be freed, or null. The first one mostly joins.
orrery_command* any_commands(uint32_t count);

#endif
