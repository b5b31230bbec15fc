// Erases secrets from memory.
#pragma once

#include <cstdint>
#include <span>

namespace orrery {

// Overwrites a secret with zeros. The compiler may not omit these writes, even if the memory is
// freed next.
inline void erase_secret(std::span<std::uint8_t> secret) {
  volatile std::uint8_t* const bytes = secret.data();
  for (std::size_t i = 0; i < secret.size(); ++i) bytes[i] = 0;
}

// Erases the bytes of a secret at the end of a scope. REQUIRES: they outlive this object.
class ErasedAtEnd {
 public:
  explicit ErasedAtEnd(std::span<std::uint8_t> secret) : secret_(secret) {}
  ~ErasedAtEnd() { erase_secret(secret_); }
  ErasedAtEnd(const ErasedAtEnd&) = delete;
  ErasedAtEnd& operator=(const ErasedAtEnd&) = delete;

 private:
  const std::span<std::uint8_t> secret_;
};

}  // namespace orrery
