// Tests addresses, and datagrams through the kernel on 127.0.0.1.
#include "common/host/net/udp.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "common/net/packet/address_text.h"
#include "common/net/packet/packet.h"
#include "gtest/gtest.h"

namespace {

// A simulated fault of the kernel: it accepts `taken` messages and refuses the next with `error`.
struct {
  unsigned taken = 0;
  int error = 0;
  unsigned offered = 0;  // messages in all calls
} fault;

}  // namespace

// Replaces the function of the C library.
extern "C" int sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  fault.offered += count;
  if (fault.error != 0) {
    if (fault.taken == 0) {
      errno = std::exchange(fault.error, 0);
      return -1;
    }
    count = std::min(count, fault.taken);
  }
  const long sent = ::syscall(SYS_sendmmsg, descriptor, messages, count, flags);
  if (fault.error != 0 && sent > 0) fault.taken -= static_cast<unsigned>(sent);
  return static_cast<int>(sent);
}

namespace orrery {
namespace {

// Waits for a datagram, at most ten seconds.
std::vector<std::uint8_t> next_datagram(host::UdpNetwork& at, net::Address& from) {
  std::array<std::uint8_t, net::kPacketBytesMax + 1> buffer;
  pollfd descriptor{at.descriptor(), POLLIN, 0};
  ::poll(&descriptor, 1, 10000);
  const auto size = at.receive(from, buffer);
  if (!size) return {};
  return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*size)};
}

// Every datagram is either received or counted as overflowed.
TEST(Udp, CountsWhatItsBufferDoesNotHold) {
  auto network = host::UdpNetwork::bind(net::parse_address("127.0.0.1:0").value());
  ASSERT_TRUE(network.ok());
  host::UdpNetwork& udp = *network.value();
  EXPECT_GT(udp.receive_buffer(), 4096u);
  // The kernel's buffer holds twice receive_buffer() bytes, and each datagram takes more than 512
  // of them. Fewer than receive_buffer() / 256 datagrams fit.
  const std::size_t sent = 20 + udp.receive_buffer() / 256;
  for (std::size_t i = 0; i < sent; ++i) udp.send(udp.local(), Bytes(net::kMappedIpv4));
  EXPECT_EQ(udp.unsent(), 0u);
  std::size_t received = 0;
  std::array<std::uint8_t, 16> buffer;
  for (net::Address from; udp.receive(from, buffer);) ++received;
  EXPECT_GT(udp.overflowed(), 0u);
  EXPECT_EQ(received + udp.overflowed(), sent);
}

// Waits until the kernel has an error for the socket, at most ten seconds, and clears it.
void take_error(host::UdpNetwork& at) {
  pollfd descriptor{at.descriptor(), POLLIN, 0};
  ::poll(&descriptor, 1, 10000);
  std::array<std::uint8_t, 1> none;
  net::Address from;
  EXPECT_FALSE(at.receive(from, none));
}

TEST(Udp, KnowsThatNobodyListens) {
  const auto open = [](const char* text) {
    return std::move(host::UdpNetwork::bind(net::parse_address(text).value()).value());
  };
  const net::Address there = open("127.0.0.1:0")->local();  // nothing listens here any more
  auto client = std::move(host::UdpNetwork::towards(there).value());
  EXPECT_EQ(client->unreachable(), 0);
  client->send(there, Bytes(net::kMappedIpv4));
  take_error(*client);
  EXPECT_EQ(client->unreachable(), ECONNREFUSED);
  // The kernel reports the failure of a datagram as an error of the next sendto(). The socket then
  // calls sendto() again, so the next datagram is sent all the same.
  client->send(there, Bytes(net::kMappedIpv4));
  pollfd descriptor{client->descriptor(), POLLIN, 0};
  ::poll(&descriptor, 1, 10000);
  auto server = open(net::format_address(there).c_str());
  client->send(there, Bytes(net::kMappedIpv4));
  EXPECT_EQ(client->unsent(), 0u);
  net::Address from;
  EXPECT_EQ(next_datagram(*server, from).size(), net::kMappedIpv4.size());
  server->send(from, Bytes(net::kMappedIpv4));
  EXPECT_EQ(next_datagram(*client, from).size(), net::kMappedIpv4.size());
  EXPECT_EQ(client->unreachable(), ECONNREFUSED);
  for (int i = 0; i < 30; ++i) client->send(there, Bytes(net::kMappedIpv4));
  EXPECT_EQ(client->unreachable(), 0);  // the last failure was long ago
}

TEST(Udp, KnowsWhatCannotBeSent) {
  const net::Address everybody =
      net::parse_address("255.255.255.255:9").value();  // needs SO_BROADCAST
  auto client = std::move(host::UdpNetwork::towards(everybody).value());
  client->send(everybody, Bytes(net::kMappedIpv4));
  EXPECT_NE(client->unreachable(), 0);
  EXPECT_EQ(client->unsent(), 1u);
}

// A sender, a receiver, and a pattern of bytes to send.
struct Pair {
  Pair() : here(open()), there(open()), bytes(100'000) {
    fault = {};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  }

  static std::unique_ptr<host::UdpNetwork> open() {
    return std::move(host::UdpNetwork::bind(net::parse_address("127.0.0.1:0").value()).value());
  }

  void send(std::size_t size) { batch.send(there->local(), Bytes(bytes).first(size)); }
  void send_train(std::size_t size) {
    batch.send_train(there->local(), Bytes(bytes).first(size), 1200);
  }

  // Expects exactly these datagrams, in this order.
  void expect(const std::vector<std::size_t>& sizes) {
    net::Address from;
    for (const std::size_t size : sizes) {
      EXPECT_EQ(next_datagram(*there, from).size(), size);
      EXPECT_EQ(from, here->local());
    }
    std::array<std::uint8_t, 8> none;
    EXPECT_FALSE(there->receive(from, none));
  }

  std::unique_ptr<host::UdpNetwork> here, there;
  std::vector<std::uint8_t> bytes;
  host::UdpBatch batch{*here};
};

TEST(Udp, CarriesDatagramsAndTrains) {
  Pair pair;
  EXPECT_NE(pair.there->local().port, 0);
  pair.send(5);
  pair.send_train(3000);
  pair.expect({});
  pair.batch.flush();
  EXPECT_EQ(fault.offered, 2u);
  std::vector<std::uint8_t> joined;
  net::Address from;
  for (const std::size_t size : {5u, 1200u, 1200u, 600u}) {
    const auto datagram = next_datagram(*pair.there, from);
    ASSERT_EQ(datagram.size(), size);
    EXPECT_EQ(from, pair.here->local());
    if (size != 5) joined.insert(joined.end(), datagram.begin(), datagram.end());
  }
  EXPECT_TRUE(std::equal(joined.begin(), joined.end(), pair.bytes.begin()));
  EXPECT_EQ(joined.size(), 3000u);
  pair.batch.flush();
  pair.expect({});
}

TEST(Udp, AFullBatchGoesByItself) {
  Pair pair;
  std::vector<std::size_t> sizes;
  for (std::size_t i = 1; i <= host::UdpBatch::kMessagesMax + 1; ++i) {
    pair.send(i);
    sizes.push_back(i);
  }
  EXPECT_EQ(fault.offered, host::UdpBatch::kMessagesMax);
  pair.send_train(40 * 1200);
  pair.send_train(40 * 1200);  // the kernel's buffer has no room for both trains
  EXPECT_EQ(fault.offered, host::UdpBatch::kMessagesMax + 2);
  pair.batch.flush();
  sizes.insert(sizes.end(), 80, 1200);
  pair.expect(sizes);
  EXPECT_EQ(pair.here->unsent(), 0u);
}

TEST(Udp, ABatchReceivesAllThatHasComeInOrder) {
  Pair pair;
  host::UdpBatch receiver(*pair.there);
  std::array<std::uint8_t, net::kPacketBytesMax + 1> buffer;
  net::Address from;
  const auto takes = [&](std::size_t size) {
    const auto got = receiver.receive(from, buffer);
    return got && *got == size && from == pair.here->local() &&
           std::equal(buffer.data(), buffer.data() + size, pair.bytes.data());
  };
  for (const std::size_t count :
       {3 * host::UdpBatch::kMessagesMax + 7, host::UdpBatch::kMessagesMax - 1}) {
    for (std::size_t i = 0; i < count; ++i) pair.send(i);
    pair.send(net::kPacketBytesMax + 100);
    pair.batch.flush();
    for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(takes(i)) << i;
    EXPECT_TRUE(takes(net::kPacketBytesMax + 1));  // cut to fit
    EXPECT_FALSE(receiver.receive(from, buffer));
  }
  pair.send(1);
  pair.batch.flush();
  EXPECT_TRUE(takes(1));
}

// There is a datagram before the train and one after it. If the kernel refuses the train, both
// single datagrams must still arrive.
TEST(Udp, WhatIsRefusedIsCountedAndTheRestGoes) {
  for (const int error : {EAGAIN, ENOBUFS}) {
    Pair pair;
    const auto send_all = [&] {
      pair.send(5);
      pair.send_train(3000);
      pair.send(6);
      pair.batch.flush();
    };
    fault = {.taken = 1, .error = error};
    send_all();
    pair.expect({5, 6});
    EXPECT_EQ(pair.here->unsent(), 3u);
    fault = {.taken = 2, .error = error};
    send_all();
    pair.expect({5, 1200, 1200, 600});
    EXPECT_EQ(pair.here->unsent(), 4u);
    fault = {};
    send_all();
    pair.expect({5, 1200, 1200, 600, 6});
    EXPECT_EQ(fault.offered, 3u);
  }
}

// The device or kernel cannot split trains (segmentation). From then on datagrams are sent one by
// one.
TEST(Udp, WithoutTrainsDatagramsGoOneByOne) {
  for (const int error : {EIO, EOPNOTSUPP, ENOPROTOOPT}) {
    Pair pair;
    pair.send(5);
    pair.send_train(3000);
    pair.send(6);
    fault = {.taken = 1, .error = error};
    pair.batch.flush();
    pair.expect({5, 1200, 1200, 600, 6});
    fault = {};
    pair.send_train(3000);
    pair.batch.flush();
    EXPECT_EQ(fault.offered, 3u);
    pair.expect({1200, 1200, 600});
    EXPECT_EQ(pair.here->unsent(), 0u);
  }
}

// The receiver asks the kernel for whole trains (UDP_GRO). It can therefore see whether the sender
// sent datagrams as one train.
TEST(Udp, ATrainThatFailsDoesNotEndTheOthers) {
  Pair pair;
  // Asks the kernel directly, without the code under test. The test is skipped only if the kernel
  // itself lacks UDP_SEGMENT or UDP_GRO.
  const int on = 1;
  const int off = 0;
  if (::setsockopt(pair.here->descriptor(), SOL_UDP, UDP_SEGMENT, &off, sizeof off) != 0 ||
      ::setsockopt(pair.there->descriptor(), SOL_UDP, UDP_GRO, &on, sizeof on) != 0) {
    GTEST_SKIP() << "this kernel knows no UDP_SEGMENT or UDP_GRO; the server works without";
  }
  const auto arrives_whole = [&] {
    pair.send_train(3000);
    pair.batch.flush();
    std::vector<std::uint8_t> buffer(4000);
    pollfd descriptor{pair.there->descriptor(), POLLIN, 0};
    ::poll(&descriptor, 1, 10000);
    net::Address from;
    const auto size = pair.there->receive(from, buffer);
    return size && *size == 3000;
  };
  ASSERT_TRUE(arrives_whole());
  const net::Address nowhere = net::parse_address("127.0.0.1:0").value();  // no port: EINVAL
  pair.batch.send_train(nowhere, Bytes(pair.bytes).first(3000), 1200);
  pair.batch.flush();
  EXPECT_EQ(pair.here->unsent(), 3u);
  EXPECT_TRUE(arrives_whole());
}

TEST(Udp, SaysThatAPortIsTaken) {
  const auto first = host::UdpNetwork::bind(net::parse_address("127.0.0.1:0").value());
  ASSERT_TRUE(first.ok());
  const auto second = host::UdpNetwork::bind(first.value()->local());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().text().find(net::format_address(first.value()->local())), 0u);
}

TEST(KeyedHash, KnowsEveryBitAndItsKey) {
  const host::KeyedHash hash;
  std::vector<std::uint8_t> bytes(34);
  const std::uint64_t before = hash(bytes);
  EXPECT_EQ(hash(bytes), before);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_NE(hash(bytes), before);
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
  EXPECT_NE(host::KeyedHash()(bytes), before);
}

}  // namespace
}  // namespace orrery
