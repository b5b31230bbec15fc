// Owns `orrery watch`: a live table of bodies.
#include "client/cli/verbs.h"
namespace orrery { int watch(const WatchOptions&) { return 0; } }
