// Makes text from an untrusted source safe to show.
#include "common/core/printable.h"

#include "common/core/assert.h"

namespace orrery {
namespace {

// Returns true for characters that are invisible or change the order of others.
constexpr bool changes_layout(std::uint32_t code) {
  return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x2069) || code == 0xfeff;
}

// Returns the number of bytes of the printable character at the start of a text, or 0 if there is
// none. REQUIRES: a text that is not empty.
std::size_t character_bytes(Bytes text) {
  const std::uint8_t first = text[0];
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[i] & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0xa0, 0x800, 0x10000};  // 0x80 to 0x9f are controls
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool is_valid = code >= kLeast[size - 2] && code <= 0x10ffff && !is_surrogate;
  return is_valid && !changes_layout(code) ? size : 0;
}

}  // namespace

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

std::string readable(Bytes text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    if (size == 0) out += '?';
    out.append(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
    text = text.subspan(size == 0 ? 1 : size);
  }
  return out;
}

}  // namespace orrery
