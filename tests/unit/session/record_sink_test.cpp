// Tests the queue of records.
#include "common/session/writer/record_sink.h"

#include <gtest/gtest.h>

#include "tests/support/session.h"

namespace orrery {
namespace {

TEST(RecordBatch, GivesBackItsRecordsInOrder) {
  const std::vector<std::uint8_t> tick = {1, 2, 3};
  const std::vector<std::uint8_t> head = {4, 5};
  const std::vector<std::uint8_t> image = {6, 7, 8};
  session::RecordBatch batch;
  EXPECT_TRUE(batch.empty());
  batch.append({session::RecordType::tick, Tick{7}, tick});
  batch.append({session::RecordType::checkpoint, Tick{7}, head, image});
  std::vector<std::vector<std::uint8_t>> payloads;
  std::vector<session::RecordType> types;
  batch.for_each([&](const session::LogRecord& record) {
    EXPECT_EQ(record.tick.value, 7u);
    EXPECT_TRUE(record.image.empty());
    payloads.emplace_back(record.payload.begin(), record.payload.end());
    types.push_back(record.type);
  });
  EXPECT_EQ(types, (std::vector{session::RecordType::tick, session::RecordType::checkpoint}));
  EXPECT_EQ(payloads, (std::vector<std::vector<std::uint8_t>>{{1, 2, 3}, {4, 5, 6, 7, 8}}));
  batch.clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.bytes(), 0u);
}

TEST(RecordBatch, CountsTheBytesThatItsRecordsTakeInALog) {
  for (const std::size_t size : {0u, 1u, 127u, 128u, 16'383u, 16'384u, 100'000u}) {
    const std::vector<std::uint8_t> payload(size);
    std::vector<std::uint8_t> framed;
    append_record(session::RecordType::tick, payload, {}, 1, framed);
    session::RecordBatch batch;
    batch.append({session::RecordType::tick, Tick{1}, payload});
    EXPECT_EQ(batch.bytes(), framed.size());
  }
}

}  // namespace
}  // namespace orrery
