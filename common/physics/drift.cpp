// Owns the drift: free flight and free rotation of tiles of bodies.
#include "common/physics/drift.h"

#include "common/core/hash.h"
#include "common/integrate/cayley.inl"

namespace orrery {}
