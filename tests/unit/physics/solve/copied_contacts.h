// Copies the contacts and bodies of one minimal world to another, as an image does.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "common/physics/solve/contact_set.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {

// Copies every field and all contacts.
inline void copy_state(ContactWorld& from, ContactWorld& to) {
  for (std::size_t f = 0; f < physics::kBodyFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    std::memcpy(to.bodies.field(field), from.bodies.field(field),
                from.bodies.capacity() * sizeof(double));
  }
  std::vector<physics::ContactRecord> records;
  from.solver.contacts().save(records);
  ASSERT_TRUE(physics::ContactSet::check(records, to.bodies, to.shapes, to.shape_of).ok());
  to.solver.contacts().restore(records, to.bodies, to.shapes, to.shape_of);
}

}  // namespace orrery
