// Tests addresses as text against inet_pton() and inet_ntop() of the system.
#include "common/net/packet/address_text.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include "common/core/rng.h"

namespace orrery {
namespace {

TEST(AddressText, ReadsBackWhatItWrites) {
  for (const char* text :
       {"127.0.0.1:4770", "0.0.0.0:0", "255.1.2.3:65535", "[::1]:4770", "[2001:db8::7]:1"}) {
    const auto address = net::parse_address(text);
    ASSERT_TRUE(address.ok()) << text;
    EXPECT_EQ(net::format_address(address.value()), text);
  }
}

TEST(AddressText, TakesTheNameOfThisMachine) {
  EXPECT_EQ(net::parse_address("localhost:4770").value(),
            net::parse_address("127.0.0.1:4770").value());
}

TEST(AddressText, RefusesOtherText) {
  for (const char* text : {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                           "127.0.0.1:1x", "::1:4770", "[::1]", "[127.0.0.1]:1", "a:1", "1.2.3:4",
                           "localhost", "localhost:", "[localhost]:1", "[]:1", "[:1", "]:1"}) {
    EXPECT_FALSE(net::parse_address(text).ok()) << text;
  }
  EXPECT_TRUE(net::parse_address("127.0.0.1:0").ok());
  EXPECT_TRUE(net::parse_destination("127.0.0.1:1").ok());
  EXPECT_FALSE(net::parse_destination("127.0.0.1:0").ok());
  EXPECT_EQ(net::parse_address("\x1b[2J\n").error().text().find("\\x1b[2J\\x0a: "), 0u);
}

TEST(AddressText, KnowsThisMachine) {
  const auto loopback = [](const char* text) {
    return net::is_loopback(net::parse_address(text).value());
  };
  EXPECT_TRUE(loopback("127.0.0.1:1"));
  EXPECT_TRUE(loopback("127.9.9.9:1"));
  EXPECT_TRUE(loopback("[::1]:1"));
  EXPECT_FALSE(loopback("0.0.0.0:1"));
  EXPECT_FALSE(loopback("[::]:1"));
  EXPECT_FALSE(loopback("10.0.0.1:1"));
}

// Compares parse_address() with inet_pton(), for the text of an address without port and brackets.
void expect_as_the_system_reads(const std::string& text) {
  std::array<std::uint8_t, 16> ip{};
  const bool is_valid = inet_pton(AF_INET6, text.c_str(), ip.data()) == 1;
  const auto parsed = net::parse_address('[' + text + "]:1");
  ASSERT_EQ(parsed.ok(), is_valid) << text;
  if (is_valid) {
    EXPECT_EQ(parsed.value().ip, ip) << text;
  }
  std::array<std::uint8_t, 4> ipv4{};
  const bool is_ipv4 = inet_pton(AF_INET, text.c_str(), ipv4.data()) == 1;
  const auto parsed_ipv4 = net::parse_address(text + ":1");
  ASSERT_EQ(parsed_ipv4.ok(), is_ipv4) << text;
  if (is_ipv4) {
    EXPECT_TRUE(std::equal(ipv4.begin(), ipv4.end(), parsed_ipv4.value().ip.begin() + 12)) << text;
  }
}

TEST(AddressText, ReadsWhatTheSystemReads) {
  SplitMix64 draw(20261);
  const std::string_view parts[] = {":",       "::", "0",   "1",   "ffff", "12345", "00a", "AbC",
                                    "1.2.3.4", ".",  "255", "256", "01",   "g",     "-1",  "%"};
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    const std::uint32_t count = draw.below(18);
    for (std::uint32_t k = 0; k < count; ++k) {
      const bool colon = k % 2 == 1 && draw.below(8) != 0;
      text += colon ? ":" : parts[draw.below(std::size(parts))];
    }
    expect_as_the_system_reads(text);
  }
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint32_t k = 0; k < 4; ++k) {
      text += (k == 0 ? "" : ".") + std::to_string(draw.below(300));
    }
    expect_as_the_system_reads(text);
  }
}

TEST(AddressText, WritesWhatTheSystemWrites) {
  SplitMix64 draw(20262);
  for (int i = 0; i < 100'000; ++i) {
    net::Address address;
    for (std::uint8_t& byte : address.ip) {
      byte = static_cast<std::uint8_t>(draw.below(3) == 0 ? draw.below(256) : 0);
    }
    char text[INET6_ADDRSTRLEN];
    inet_ntop(AF_INET6, address.ip.data(), text, sizeof text);
    ASSERT_EQ(net::format_address(address), '[' + std::string(text) + "]:0");
    ASSERT_EQ(net::parse_address(net::format_address(address)).value(), address);
  }
}

}  // namespace
}  // namespace orrery
