// Tests which connection of the lobby comes next, and which are dropped.
#include "server/web/arrivals/lobby.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace orrery::server::web {
namespace {

constexpr std::string_view kHealth = "GET /healthz HTTP/1.1\r\n\r\n";
constexpr std::string_view kPage = "GET / HTTP/1.1\r\n\r\n";

// Guests of a lobby, each with its number as the port of its address.
class Guests {
 public:
  // Adds a guest that has sent this text. Returns its number.
  std::uint16_t add(std::string_view text = {}) {
    std::array<int, 2> pair{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
    others_.emplace_back(pair[1]);
    const auto number = static_cast<std::uint16_t>(others_.size());
    send(number, text);
    const auto closed = lobby.add({OwnedSocket(pair[0]), net::Address{.port = number}});
    closed_ = closed ? closed->port : 0;
    return number;
  }
  void send(std::uint16_t number, std::string_view text) {
    const ssize_t sent = ::write(others_[number - 1u].descriptor(), text.data(), text.size());
    EXPECT_EQ(sent, static_cast<ssize_t>(text.size()));
  }
  void end_output(std::uint16_t number) { ::shutdown(others_[number - 1u].descriptor(), SHUT_WR); }
  void close(std::uint16_t number) { others_[number - 1u] = OwnedSocket(-1); }
  // Returns the number of the next guest, or 0 if it has gone.
  std::uint16_t take() {
    const auto guest = lobby.take();
    return guest ? guest->address.port : std::uint16_t{0};
  }
  // Returns the number of the guest that the last add() closed, or 0.
  std::uint16_t closed() const { return closed_; }

  Lobby lobby;

 private:
  std::deque<OwnedSocket> others_;
  std::uint16_t closed_ = 0;
};

TEST(Lobby, QuestionsAboutTheHealthComeFirst) {
  Guests it;
  it.add(kPage);
  it.add();
  it.add(kHealth);
  it.add("HEAD /healthz HTTP/1.1\r\n\r\n");
  std::string order;
  while (!it.lobby.empty()) order += std::to_string(it.take());
  EXPECT_EQ(order, "3412");
}

TEST(Lobby, AQuestionThatArrivesLaterComesFirstToo) {
  Guests it;
  const auto page = it.add(kPage), silent = it.add(), other = it.add(), late = it.add();
  it.send(other, kPage);
  it.send(late, "GET /healthz HTTP/1.1\r\n");
  it.close(silent);
  EXPECT_EQ(it.take(), late);
  EXPECT_EQ(it.take(), page);
  EXPECT_EQ(it.take(), 0);  // the silent one has gone
  EXPECT_EQ(it.take(), other);
  EXPECT_TRUE(it.lobby.empty());
}

TEST(Lobby, AGuestThatHasGoneIsDropped) {
  Guests it;
  it.close(it.add());
  it.close(it.add("GET / HTTP/1.1\r\nX: "));
  it.end_output(it.add("GET / HTTP/1.1\r\nX: "));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(it.take(), 0);
  const auto waits = it.add(kPage);
  it.end_output(waits);  // it still reads the answer
  EXPECT_EQ(it.take(), waits);
  EXPECT_TRUE(it.lobby.empty());
}

TEST(Lobby, AFullLobbyClosesTheNewestButKeepsQuestionsAboutTheHealth) {
  Guests it;
  std::uint16_t newest = 0;
  for (std::size_t i = 0; i < Lobby::kGuestsMax; ++i) newest = it.add(kPage);
  EXPECT_EQ(it.closed(), 0);
  const auto refused = it.add(kPage);
  EXPECT_EQ(it.closed(), refused);
  const auto health = it.add(kHealth);
  EXPECT_EQ(it.closed(), newest);
  EXPECT_EQ(it.take(), health);
}

TEST(Lobby, AFullLobbyGivesThePlaceOfAGuestThatHasGone) {
  Guests it;
  for (std::size_t i = 0; i < Lobby::kGuestsMax; ++i) it.add(kPage);
  it.close(1);
  it.add(kPage);
  EXPECT_EQ(it.closed(), 0);
  const auto refused = it.add(kPage);  // control: nobody else has gone
  EXPECT_EQ(it.closed(), refused);
  EXPECT_EQ(it.take(), 2);
}

}  // namespace
}  // namespace orrery::server::web
