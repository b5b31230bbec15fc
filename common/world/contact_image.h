// Owns the bytes of contacts in an image (schema/README.md has the layout).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/physics/contact_set.h"

namespace orrery {

// Appends the contacts: their number and, ascending by key, all that the next tick needs.
void encode_contacts(const ContactSet& contacts, std::vector<std::uint8_t>& out);

// Reads them; false if these are not the bytes of contacts. That they fit the bodies is for
// ContactSet::check() to say.
bool decode_contacts(ByteReader& in, std::vector<ContactRecord>& records);

}  // namespace orrery
