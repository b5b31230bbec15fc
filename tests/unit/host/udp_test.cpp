// Owns the tests of addresses, and of datagrams through the system on 127.0.0.1.
#include "common/host/udp.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "common/net/packet.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

TEST(Address, ReadsBackWhatItWrites) {
  for (const char* text :
       {"127.0.0.1:4770", "0.0.0.0:0", "255.1.2.3:65535", "[::1]:4770", "[2001:db8::7]:1"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address.ok()) << text;
    EXPECT_EQ(format_address(address.value()), text);
  }
}

TEST(Address, TakesTheNameOfThisMachine) {
  EXPECT_EQ(parse_address("localhost:4770").value(), parse_address("127.0.0.1:4770").value());
}

TEST(Address, RefusesWhatIsNone) {
  for (const char* text : {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                           "127.0.0.1:1x", "::1:4770", "[::1]", "[127.0.0.1]:1", "a:1", "1.2.3:4",
                           "localhost", "localhost:", "[localhost]:1"}) {
    EXPECT_FALSE(parse_address(text).ok()) << text;
  }
  EXPECT_EQ(parse_address("\x1b[2J\n").error().message.find("\\x1b[2J\\x0a: "), 0u);
}

TEST(Address, KnowsThisMachine) {
  const auto loopback = [](const char* text) { return is_loopback(parse_address(text).value()); };
  EXPECT_TRUE(loopback("127.0.0.1:1"));
  EXPECT_TRUE(loopback("127.9.9.9:1"));
  EXPECT_TRUE(loopback("[::1]:1"));
  EXPECT_FALSE(loopback("0.0.0.0:1"));
  EXPECT_FALSE(loopback("[::]:1"));
  EXPECT_FALSE(loopback("10.0.0.1:1"));
}

// Waits for a datagram, at most ten seconds.
std::vector<std::uint8_t> next_datagram(UdpNetwork& at, Address& from) {
  std::array<std::uint8_t, kPacketBytesMax + 1> buffer;
  pollfd descriptor{at.descriptor(), POLLIN, 0};
  ::poll(&descriptor, 1, 10000);
  const auto size = at.receive(from, buffer);
  if (!size) return {};
  return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*size)};
}

// None that came is missing in both figures.
TEST(Udp, CountsWhatItsBufferDoesNotHold) {
  auto network = UdpNetwork::bind(parse_address("127.0.0.1:0").value());
  ASSERT_TRUE(network.ok());
  UdpNetwork& udp = *network.value();
  EXPECT_GT(udp.receive_buffer(), 4096u);
  const std::size_t sent = 20 + udp.receive_buffer() / 256;  // each takes more than 512, of twice
  for (std::size_t i = 0; i < sent; ++i) udp.send(udp.local(), Bytes(kMappedIpv4));
  EXPECT_EQ(udp.unsent(), 0u);
  std::size_t received = 0;
  std::array<std::uint8_t, 16> buffer;
  for (Address from; udp.receive(from, buffer);) ++received;
  EXPECT_GT(udp.overflowed(), 0u);
  EXPECT_EQ(received + udp.overflowed(), sent);
}

TEST(Udp, CarriesDatagramsAndTrains) {
  const Address any = parse_address("127.0.0.1:0").value();
  auto a = UdpNetwork::bind(any);
  auto b = UdpNetwork::bind(any);
  ASSERT_TRUE(a.ok() && b.ok());
  const Address to = b.value()->local();
  EXPECT_NE(to.port, 0);
  std::vector<std::uint8_t> train(3000);
  for (std::size_t i = 0; i < train.size(); ++i) train[i] = static_cast<std::uint8_t>(i * 7);
  a.value()->send(to, Bytes(train).first(5));
  a.value()->send_train(to, train, 1200);
  std::vector<std::uint8_t> joined;
  Address from;
  for (const std::size_t size : {5u, 1200u, 1200u, 600u}) {
    const auto datagram = next_datagram(*b.value(), from);
    ASSERT_EQ(datagram.size(), size);
    EXPECT_EQ(from, a.value()->local());
    if (size != 5) joined.insert(joined.end(), datagram.begin(), datagram.end());
  }
  EXPECT_EQ(joined, train);
  std::array<std::uint8_t, 8> none;
  EXPECT_FALSE(b.value()->receive(from, none));
}

// A receiver that asks for it gets a train as the system carries it: in one piece.
TEST(Udp, ATrainThatFailsDoesNotEndTheOthers) {
  const Address any = parse_address("127.0.0.1:0").value();
  auto a = UdpNetwork::bind(any);
  auto b = UdpNetwork::bind(any);
  ASSERT_TRUE(a.ok() && b.ok());
  // The system is asked, not the code under test: that may only skip where it cannot work.
  const int on = 1;
  const int off = 0;
  if (::setsockopt(a.value()->descriptor(), SOL_UDP, UDP_SEGMENT, &off, sizeof off) != 0 ||
      ::setsockopt(b.value()->descriptor(), SOL_UDP, UDP_GRO, &on, sizeof on) != 0) {
    GTEST_SKIP() << "this kernel knows no UDP_SEGMENT or UDP_GRO; the server works without";
  }
  const std::vector<std::uint8_t> train(3000, 7);
  const auto arrives_whole = [&] {
    a.value()->send_train(b.value()->local(), train, 1000);
    std::vector<std::uint8_t> buffer(4000);
    pollfd descriptor{b.value()->descriptor(), POLLIN, 0};
    ::poll(&descriptor, 1, 10000);
    Address from;
    const auto size = b.value()->receive(from, buffer);
    return size && *size == train.size();
  };
  ASSERT_TRUE(arrives_whole());
  const Address nowhere = parse_address("127.0.0.1:0").value();  // no port: EINVAL
  a.value()->send_train(nowhere, train, 1000);
  EXPECT_EQ(a.value()->unsent(), 3u);
  EXPECT_TRUE(arrives_whole());
}

TEST(Udp, SaysThatAPortIsTaken) {
  const auto first = UdpNetwork::bind(parse_address("127.0.0.1:0").value());
  ASSERT_TRUE(first.ok());
  const auto second = UdpNetwork::bind(first.value()->local());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message.find(format_address(first.value()->local())), 0u);
}

TEST(KeyedHash, KnowsEveryBitAndItsKey) {
  const KeyedHash hash;
  std::vector<std::uint8_t> bytes(34);
  const std::uint64_t before = hash(bytes);
  EXPECT_EQ(hash(bytes), before);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_NE(hash(bytes), before);
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
  EXPECT_NE(KeyedHash()(bytes), before);
}

}  // namespace
}  // namespace orrery
