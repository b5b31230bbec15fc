// Tests the receiver of reliable messages against a hostile sender.
#include "common/net/channel/reliable_receiver.h"

#include <vector>

#include "gtest/gtest.h"

namespace orrery {
namespace {

std::vector<std::uint8_t> fragment(std::uint16_t number, bool last, std::size_t size) {
  const std::vector<std::uint8_t> bytes(size, 0xab);
  std::vector<std::uint8_t> out;
  net::encode_fragment({number, last, bytes}, out);
  return out;
}

TEST(ReliableReceiver, RefusesWhatNoSenderSends) {
  const auto refused = [](std::vector<std::uint8_t> bytes) {
    net::ReliableReceiver receiver(16, 4096);
    receiver.receive(bytes);
    while (receiver.next()) {
    }
    return receiver.failed();
  };
  EXPECT_FALSE(refused(fragment(0, true, 5)));
  EXPECT_FALSE(refused(fragment(15, true, 5)));                // the last of the window
  EXPECT_TRUE(refused(fragment(16, true, 5)));                 // beyond the window
  EXPECT_FALSE(refused(fragment(0x8000, true, 5)));            // already passed
  EXPECT_TRUE(refused({0, 0, 0}));                             // empty
  EXPECT_TRUE(refused({0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}));  // too long
  auto cut = fragment(0, true, 5);
  while (cut.size() > 1) {
    cut.pop_back();
    EXPECT_TRUE(refused(cut)) << cut.size();
  }
}

// A message without an end is refused when it is too long. Until then, memory grows only by the
// received bytes.
TEST(ReliableReceiver, RefusesAMessageThatNeverEnds) {
  net::ReliableReceiver receiver(16, 4096);
  for (std::uint16_t number = 0; !receiver.failed(); ++number) {
    ASSERT_LT(number, 5);
    receiver.receive(fragment(number, false, 1000));
    EXPECT_FALSE(receiver.next());
  }
  receiver.receive(fragment(5, true, 5));
  EXPECT_FALSE(receiver.next());
}

// If two fragments have the same number, the first counts. The second changes nothing, even with
// other content.
TEST(ReliableReceiver, TheFirstFragmentOfANumberCounts) {
  net::ReliableReceiver receiver(16, 4096);
  receiver.receive(fragment(1, true, 4));
  receiver.receive(fragment(1, false, 900));
  receiver.receive(fragment(0, false, 3));
  receiver.receive(fragment(0, true, 800));
  const auto message = receiver.next();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->size(), 7u);
  EXPECT_FALSE(receiver.next());
  receiver.receive(fragment(0, true, 1));
  EXPECT_FALSE(receiver.next());
  EXPECT_FALSE(receiver.failed());
}

}  // namespace
}  // namespace orrery
