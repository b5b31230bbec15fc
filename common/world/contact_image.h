// Owns the bytes of contacts in an image (schema/README.md has the layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/physics/contact_set.h"

namespace orrery {

// No contact takes more: 2 bytes, a key of 9, 36 numbers of at most 10 and 8 of 8 bytes.
inline constexpr std::size_t kContactBytesMax = 512;

// Appends the contacts, with those of bodies that sleep (ascending): their number and, ascending by
// key, all that the next tick needs.
void encode_contacts(const ContactSet& contacts, std::span<const ContactRecord> sleeping,
                     std::vector<std::uint8_t>& out);

// Reads contacts one after another. That they fit the bodies is for ContactCheck to say.
class ContactReader {
 public:
  explicit ContactReader(ByteReader& in);

  // The next contact; nullptr behind the last one, or if these are not the bytes of one.
  const ContactRecord* next();
  // False if there was something that encode_contacts() does not write.
  bool ok() const { return ok_; }

 private:
  ByteReader& in_;
  std::uint32_t left_;
  bool ok_;
  ContactRecord record_;  // the last one
  std::uint8_t padded_[kContactBytesMax];
};

}  // namespace orrery
