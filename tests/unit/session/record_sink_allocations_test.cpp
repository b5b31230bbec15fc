// Tests that a queue of records without memory for its first records stays empty.
#include <gtest/gtest.h>

#include <new>

#include "common/session/writer/record_sink.h"
#include "tests/unit/allocations.h"

namespace orrery {
namespace {

constexpr std::size_t kLarge = 100'000;

void expect_empty(const session::RecordBatch& batch) {
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.header(), nullptr);
  batch.for_each([](const session::LogRecord&) { ADD_FAILURE(); });
}

// When a program ends early, the log thread writes the queue. A header without its scene would fail
// an assertion there.
TEST(RecordBatchAllocations, WithoutMemoryForTheSceneItHasNoHeader) {
  codec::LogHeader header;
  header.scene.resize(kLarge);
  session::RecordBatch batch;
  {
    const test::RefusedMemory refused(kLarge);
    EXPECT_THROW(batch.begin(header, nullptr), std::bad_alloc);
  }
  expect_empty(batch);
  EXPECT_TRUE(batch.begin(header, nullptr));
  ASSERT_NE(batch.header(), nullptr);
  EXPECT_EQ(batch.header()->scene.size(), kLarge);
  EXPECT_EQ(batch.bytes(), kLarge);
}

// Header and checkpoint of a resumed session reach the disk together.
TEST(RecordBatchAllocations, WithoutMemoryForTheCheckpointItHasNoHeader) {
  codec::LogHeader header;
  header.segment = 1;
  const std::vector<std::uint8_t> head(16);
  const std::vector<std::uint8_t> image(kLarge);
  const session::LogRecord checkpoint{session::RecordType::checkpoint, Tick{7}, head, image};
  session::RecordBatch batch;
  const test::RefusedMemory refused(kLarge);
  EXPECT_THROW(batch.begin(header, &checkpoint), std::bad_alloc);
  expect_empty(batch);
}

}  // namespace
}  // namespace orrery
