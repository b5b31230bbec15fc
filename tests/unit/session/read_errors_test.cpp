// Tests read errors: each is reported as such, and never as the end of the log or as damage.
#include <gtest/gtest.h>

#include "common/session/replay/playback.h"
#include "common/session/replay/recovery.h"
#include "common/session/replay/replay.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

constexpr int kTicks = 40;

// A source with `readable` good bytes and then a bad sector.
class BrokenSource final : public session::ByteSource {
 public:
  BrokenSource(Bytes bytes, std::size_t readable) : bytes_(bytes), left_(readable) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    broken_ = broken_ || into.size() > left_;
    const std::size_t count = bytes_.read(into.first(std::min(into.size(), left_)));
    left_ -= count;
    return count;
  }

  Status status() const override {
    if (broken_) return Error{"LOG: cannot be read: Input/output error"};
    return ok_status();
  }

 private:
  test::MemorySource bytes_;
  std::size_t left_;
  bool broken_ = false;
};

const test::RecordedSession& session() {
  static const test::RecordedSession recorded =
      test::record_session(test::any_scene(11), 3, kTicks);
  return recorded;
}

std::unique_ptr<session::ByteSource> broken_at(std::size_t readable) {
  return std::make_unique<BrokenSource>(session().log, readable);
}

TEST(ReadErrors, AreNeitherATornTailNorDamage) {
  SerialExecutor executor;
  for (std::size_t readable = 0; readable < session().log.size(); readable += 97) {
    const auto source = broken_at(readable);
    session::LogReader log(*source);
    const Result<codec::LogHeader> header = log.read_header();
    if (header) {
      World world = std::move(session::initial_world(header.value()).value());
      EXPECT_FALSE(session::verify(log, header.value(), world, executor, [] {}).sound())
          << readable;
    }
    ASSERT_TRUE(log.tail().unreadable) << readable;
    EXPECT_EQ(log.tail().unreadable->message, source->status().error().text());
    EXPECT_FALSE(log.tail().damaged) << readable;
    EXPECT_FALSE(log.tail().closed) << readable;
  }
}

TEST(ReadErrors, AreWhyNothingGoesOn) {
  SerialExecutor executor;
  const auto open = [](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
    return number == 0 ? broken_at(session().log.size() - 100) : nullptr;
  };
  session::OpenedLog log = std::move(session::open_log(open).value());
  const Result<session::Recovered> recovered = session::recover(log, executor);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().text(), log.source->status().error().text());
  auto playback = session::Playback::open(session::open_log(open));
  ASSERT_TRUE(playback);
  EXPECT_TRUE(playback.value()->go_to(Tick{1}, executor));
  EXPECT_FALSE(playback.value()->go_to(Tick{kTicks}, executor));
  EXPECT_TRUE(playback.value()->tail().unreadable);
}

// An error in the second segment: it is unknown whether the log continues after the first.
TEST(ReadErrors, OfALaterSegmentAreTold) {
  const std::vector<std::uint8_t> torn(session().log.begin(), session().log.end() - 200);
  for (const bool opens : {false, true}) {
    test::MemorySource first(torn);
    session::LogReader log(first,
                           [&](std::uint32_t) -> Result<std::unique_ptr<session::ByteSource>> {
                             if (opens) return broken_at(5);
                             return Error{"LOG.0001: cannot be read: Permission denied"};
                           });
    const Result<codec::LogHeader> header = log.read_header();
    ASSERT_TRUE(!header && log.tail().unreadable) << opens;
    EXPECT_EQ(header.error().text(), log.tail().unreadable->text()) << opens;
    EXPECT_FALSE(log.tail().damaged) << opens;
  }
}

}  // namespace
}  // namespace orrery
