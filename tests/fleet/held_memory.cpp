// Replaces operator new and delete to count allocated bytes.
#include "tests/fleet/held_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

thread_local bool counting = false;
thread_local std::int64_t held = 0;

// Each block starts with a header that contains its size. The header is as large as the alignment,
// so that the data stays aligned.
constexpr std::size_t kHeader = alignof(std::max_align_t);
static_assert(kHeader >= sizeof(std::size_t));

void* allocate(std::size_t size, std::size_t alignment) {
  const std::size_t header = std::max(kHeader, alignment);
  const std::size_t rounded = (size + header - 1) / header * header;
  auto* const block = static_cast<char*>(std::aligned_alloc(header, header + rounded));
  if (!block) throw std::bad_alloc();
  std::memcpy(block + header - sizeof(size), &size, sizeof(size));
  if (counting) held += static_cast<std::int64_t>(size);
  return block + header;
}

void release(void* memory, std::size_t alignment) noexcept {
  if (!memory) return;
  std::size_t size = 0;
  std::memcpy(&size, static_cast<char*>(memory) - sizeof(size), sizeof(size));
  if (counting) held -= static_cast<std::int64_t>(size);
  std::free(static_cast<char*>(memory) - std::max(kHeader, alignment));
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, kHeader); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory, kHeader); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  release(memory, kHeader);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t alignment) noexcept {
  release(memory, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t,
                                       std::align_val_t alignment) noexcept {
  release(memory, static_cast<std::size_t>(alignment));
}

namespace orrery::fleet {

CountsAsServer::CountsAsServer() { counting = true; }
CountsAsServer::~CountsAsServer() { counting = false; }

CountsAsTest::CountsAsTest() : was_counting_(counting) { counting = false; }
CountsAsTest::~CountsAsTest() { counting = was_counting_; }

std::int64_t held_by_server() { return held; }

}  // namespace orrery::fleet
