// Counts the allocations of a test program, and refuses some on request.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::test {

// Returns the number of allocations of all threads so far.
std::uint64_t allocations();

// Makes operator new throw std::bad_alloc in this thread for blocks of at least `bytes` bytes, as
// long as the object lives. REQUIRES: the thread has no other such object.
class RefusedMemory {
 public:
  explicit RefusedMemory(std::size_t bytes);
  ~RefusedMemory();
  RefusedMemory(const RefusedMemory&) = delete;
  RefusedMemory& operator=(const RefusedMemory&) = delete;
};

}  // namespace orrery::test
