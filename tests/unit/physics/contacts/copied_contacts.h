// Copies the contacts and bodies of one minimal world to another, as an image does.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "common/physics/contacts/contact_set.h"
#include "tests/support/contact_records.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {

// Copies every field and all contacts.
inline void copy_state(ContactWorld& from, ContactWorld& to) {
  for (std::size_t f = 0; f < physics::kBodyFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    std::memcpy(to.bodies.field(field), from.bodies.field(field),
                from.bodies.capacity() * sizeof(double));
  }
  std::vector<physics::ContactRecord> records = test::records_of(from.solver.contacts());
  ASSERT_TRUE(test::check_records(records, to.shaped()).ok());
  test::restore_records(to.solver.contacts(), records, to.shaped());
}

}  // namespace orrery
