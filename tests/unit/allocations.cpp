// Counts the allocations of a test program, and refuses some on request.
#include "tests/unit/allocations.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

std::atomic<std::uint64_t> count{0};
thread_local std::size_t refused = std::numeric_limits<std::size_t>::max();

void* allocate(std::size_t size, std::size_t alignment) {
  ++count;
  if (size >= refused) throw std::bad_alloc();
  const std::size_t rounded = (std::max(size, std::size_t{1}) + alignment - 1) / alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded * alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// All other forms of operator new call these. Sanitizers replace each form separately. The counts
// cover the whole test program.
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace orrery::test {

std::uint64_t allocations() { return count; }

RefusedMemory::RefusedMemory(std::size_t bytes) { refused = bytes; }
RefusedMemory::~RefusedMemory() { refused = std::numeric_limits<std::size_t>::max(); }

}  // namespace orrery::test
