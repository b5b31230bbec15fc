// Tests the names of servers. tests/loopback/client/roaming_test.py looks names up.
#include "common/host/net/server_name.h"

#include <string>

#include "common/net/packet/address_text.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

TEST(ServerName, AnAddressNeedsNoLookUp) {
  for (const char* const text : {"127.0.0.1:4770", "[fd00::1]:4770", "localhost:4770"}) {
    auto name = host::ServerName::find(text);
    ASSERT_TRUE(name) << name.error().text();
    EXPECT_EQ(name.value().addresses().size(), 1u);
    EXPECT_EQ(name.value().first(), net::parse_address(text).value());
    EXPECT_EQ(name.value().canonical(), name.value().first());
    name.value().look_up();
    EXPECT_FALSE(name.value().is_looking());
    EXPECT_EQ(name.value().first(), net::parse_address(text).value());
  }
}

TEST(ServerName, NonsenseIsRefusedWithoutALookUp) {
  for (const std::string& text :
       {std::string(), std::string("host"), std::string("host:"), std::string("host:0"),
        std::string(), std::string("host:65536"), std::string("host:+1"), std::string("host:1x"),
        std::string(":4770"), std::string("a b:4770"), std::string("a\x1b[2J:4770"),
        std::string("1.2.3:4770"), std::string("[host]:4770"), std::string("host/x:4770"),
        std::string(254, 'a') + ":4770"}) {
    const auto name = host::ServerName::find(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().text().find('\n'), std::string::npos);
    EXPECT_EQ(name.error().text().find('\x1b'), std::string::npos);
    EXPECT_NE(name.error().text().find("127.0.0.1:4770"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace orrery
