// Tests how work is split between threads.
#include "common/core/executor.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

TEST(ParallelRanges, CoverAllOnceAndAreNoneTooSmall) {
  for (const std::uint32_t threads : {1u, 2u, 7u, 16u}) {
    test::BackwardExecutor executor(threads);
    for (const std::uint32_t size : {0u, 1u, 7u, 8u, 15u, 16u, 100u, 1000u}) {
      for (const std::uint32_t least : {1u, 8u, 64u}) {
        std::vector<int> visits(size);
        std::uint32_t ranges = 0;
        parallel_ranges(executor, size, least, [&](std::uint32_t begin, std::uint32_t end) {
          ++ranges;
          if (size >= least) {
            EXPECT_GE(end - begin, least);
          }
          for (std::uint32_t i = begin; i < end; ++i) ++visits[i];
        });
        EXPECT_EQ(visits, std::vector<int>(size, 1));
        EXPECT_LE(ranges, threads);
      }
    }
  }
}

}  // namespace
}  // namespace orrery
