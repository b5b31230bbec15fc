// Writes and reads the contacts in an image (schema/image.md 3 has the layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/physics/contacts/contact_set.h"

namespace orrery {

// Maximum bytes of one contact, rounded up from 463: 2 bytes of head, a key of 9 bytes, 24 numbers
// of 8 bytes and 26 varints of at most 10 bytes.
inline constexpr std::size_t kContactBytesMax = 512;

// Appends the number of contacts, then each contact, ascending by key. The bytes hold everything
// about contacts that the next tick needs. `sleeping` are the contacts of sleeping bodies,
// ascending by key.
void encode_contacts(const physics::ContactSet& contacts,
                     std::span<const physics::ContactRecord> sleeping,
                     std::vector<std::uint8_t>& out);

// A reader of the contacts in an image, one at a time. It does not check their order, or that they
// fit the bodies of the image: ContactCheck does.
class ContactReader {
 public:
  explicit ContactReader(ByteReader& in);

  // Returns the next contact, or nullptr after the last one or at invalid bytes. The record is
  // valid until the next call.
  const physics::ContactRecord* next();
  // Returns false if a contact read so far does not have the bytes that encode_contacts() gives it.
  bool ok() const { return ok_; }

 private:
  ByteReader& in_;
  std::uint32_t left_;
  bool ok_;
  physics::ContactRecord record_;  // the contact read last; the next one may omit an equal slot a
  std::uint8_t padded_[kContactBytesMax];
};

}  // namespace orrery
