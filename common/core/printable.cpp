// Makes text from an untrusted source safe to show.
#include "common/core/printable.h"

#include "common/core/assert.h"

namespace orrery {

std::string printable(std::string_view text, std::size_t length_max) {
  constexpr char kDigits[] = "0123456789abcdef";
  ORRERY_ASSERT(length_max >= 1);
  const bool cut = text.size() > length_max;
  std::string out;
  for (const char c : text.substr(0, length_max)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte <= 0x7e) {
      out += c;
    } else {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  if (cut) out += "...";
  return out;
}

}  // namespace orrery
