// Measures the cost of a frame through the C header: its time, and that neither it nor a step
// allocates.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "orrery.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

// The library allocates with these operators too. The other forms of operator new call them.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

int main() {
  constexpr std::uint32_t kBodies = 1000;
  constexpr int kFrames = 2000;
  orrery_world* world = nullptr;
  if (orrery_world_from_name("free:1000", &world, nullptr, 0) != ORRERY_OK) return 1;
  orrery_space space = {};
  space.size = sizeof space;
  space.axes = ORRERY_Y_UP_LEFT;
  orrery_set_space(world, &space);
  std::vector<float> rows(kBodies * 7);
  const std::uint64_t before = allocations;
  if (before == 0) return 1;  // the world allocated, so the counter does not work
  const auto start = std::chrono::steady_clock::now();
  for (int frame = 0; frame < kFrames; ++frame) {
    if (orrery_world_read(world, nullptr, ORRERY_POSITION | ORRERY_ORIENTATION, rows.data(),
                          7 * sizeof(float), kBodies) != ORRERY_OK) {
      return 1;
    }
  }
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  for (int tick = 0; tick < 100; ++tick) orrery_world_step(world, nullptr, 0);
  const std::uint64_t made = allocations - before;
  std::printf("%.1f us for the poses of %u bodies, %llu allocations in %d frames and 100 ticks\n",
              taken.count() / kFrames, kBodies, static_cast<unsigned long long>(made), kFrames);
  orrery_world_destroy(world);
  return made == 0 ? 0 : 1;
}
