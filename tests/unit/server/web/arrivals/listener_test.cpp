// Tests when connections are accepted, and when they wake the loop.
#include "server/web/arrivals/listener.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "common/net/packet/address_text.h"

namespace orrery::server::web {
namespace {

using tcp = boost::asio::ip::tcp;

class ListenerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Listener::open(context_, net::parse_address("127.0.0.1:0").value());
    ASSERT_TRUE(opened);
    listener_ = std::move(opened.value());
  }
  tcp::socket connect() {
    tcp::socket socket(context_);
    socket.connect({boost::asio::ip::address_v4::loopback(), listener_->local().port});
    return socket;
  }
  // Runs handlers until nothing waits, or a moment has passed.
  void run() {
    context_.restart();  // it stops when nothing waits
    context_.run_for(std::chrono::milliseconds(50));
  }

  boost::asio::io_context context_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(ListenerTest, CallsOnceForAllThatWait) {
  int calls = 0;
  listener_->wait([&] { ++calls; });
  run();
  EXPECT_EQ(calls, 0);
  const auto first = connect(), second = connect();
  run();
  EXPECT_EQ(calls, 1);
  const auto third = connect();
  run();
  EXPECT_EQ(calls, 1);
  for (const auto* each : {&first, &second, &third}) {
    const auto guest = listener_->accept();
    ASSERT_TRUE(guest);
    EXPECT_EQ(guest->address.port, each->local_endpoint().port());
  }
  EXPECT_FALSE(listener_->accept());
  EXPECT_FALSE(listener_->failed());
  listener_->wait([&] { ++calls; });
  const auto fourth = connect();
  run();
  EXPECT_EQ(calls, 2);
}

TEST_F(ListenerTest, CallsAtOnceIfAConnectionWaitsAlready) {
  const auto link = connect();
  int calls = 0;
  listener_->wait([&] { ++calls; });
  run();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace orrery::server::web
