// Tests admission: tokens, the memory of used tokens, and the limits.
#include "common/net/gate/gate.h"

#include <gtest/gtest.h>

#include "tests/support/simulated_network.h"
#include "tests/support/tokens.h"

namespace orrery {
namespace {

using test::access_of;
using test::address_of;
using test::token_for;

const net::Address kServer = address_of(1, 4770);

// A gate and requests to it.
struct Door {
  explicit Door(std::uint32_t clients = 4) : clients_max(clients) { open(); }

  // Starts the server again, with the current access rules.
  void open() { gate.emplace(port, access, clients_max, network.now); }

  // Returns the reason for dropping the request, or nothing if it is answered with a challenge.
  std::optional<net::Drop> ask(const net::Address& from, const net::ConnectToken& token) {
    std::vector<std::uint8_t> request;
    net::encode_request(token, request);
    const auto read = gate->read_request(from, request);
    if (const auto* const drop = std::get_if<net::Drop>(&read)) return *drop;
    const auto& [applicant, refusal] = std::get<net::Application>(read);
    if (refusal) return net::drop_of(*refusal);
    const auto added = gate->add(applicant, network.now);
    const net::Drop* const drop = std::get_if<net::Drop>(&added);
    return drop ? std::optional(*drop) : std::nullopt;
  }

  // Connects an account with a new token from its own address.
  void connect(std::uint64_t account) {
    const net::Address from = address_of(static_cast<std::uint32_t>(1000 + account));
    ASSERT_EQ(ask(from, token(account)), std::nullopt);
    gate->admit(*gate->find(from));
  }

  net::ConnectToken token(std::uint64_t account, const test::TokenChoices& choices = {}) {
    ++network.now;  // makes every token different
    return token_for(access, network, account, choices);
  }

  test::SimulatedNetwork network{1, {}};
  test::Port port{network, kServer};
  net::Access access = access_of(kServer);
  const std::uint32_t clients_max;
  std::optional<net::Gate> gate;
};

// If earlier runs used the key, the gate accepts only tokens that were created in this run.
TEST(Gate, RefusesTokensFromBeforeItsStartHoweverLongTheyLive) {
  Door door;
  const net::ConnectToken old = door.token(2);
  door.access.key_is_fresh = false;
  door.access.token_life = 10;
  door.open();
  for (std::uint64_t left = net::kTokenLifeSeconds; left > 0;
       --left, door.network.now += net::kSecond) {
    const bool too_long = left > door.access.token_life;
    EXPECT_EQ(door.ask(address_of(2), old),
              too_long ? net::Drop::expired_token : net::Drop::token_before_start)
        << left;
  }
}

TEST(Gate, TakesShortTokensRightAfterItsStart) {
  Door door;
  door.access.key_is_fresh = false;
  door.access.token_life = 3600;
  door.open();
  EXPECT_FALSE(door.gate->takes_new_tokens());  // still the second of the start
  EXPECT_EQ(door.ask(address_of(2), door.token(2)), net::Drop::token_before_start);
  door.network.now += net::kSecond;
  EXPECT_TRUE(door.gate->takes_new_tokens());
  EXPECT_EQ(door.ask(address_of(2), door.token(2, {.life = 5})), std::nullopt);
}

TEST(Gate, TakesTokensThatDoNotSayWhenTheyWereMadeForAsOldAsTheyMayBe) {
  Door door;
  door.access.key_is_fresh = false;
  door.open();
  const test::TokenChoices silent{.life = 20, .says_created = false};
  door.network.now += (net::kTokenLifeSeconds - silent.life) * net::kSecond;
  EXPECT_EQ(door.ask(address_of(2), door.token(2, silent)), net::Drop::token_before_start);
  door.network.now += net::kSecond;
  EXPECT_EQ(door.ask(address_of(2), door.token(2, silent)), std::nullopt);
}

// A forged request must not use up the rate limit of its claimed address.
TEST(Gate, OnlyGoodTokensUseUpWhatAnAddressMayAsk) {
  Door door;
  net::ConnectToken forged = door.token(3);
  forged.sealed[5] ^= 1;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(door.ask(address_of(2), forged), net::Drop::bad_token);
  const net::ConnectToken good = door.token(2);
  for (std::uint32_t i = 0; i < net::kRequestsAtOnce; ++i) {
    EXPECT_EQ(door.ask(address_of(2), good), std::nullopt);
  }
  EXPECT_EQ(door.ask(address_of(2), good), net::Drop::flood);
}

// An attacker can send a used or intercepted token from any address. Such a request makes no
// session, and must not use up the rate limit of that address.
TEST(Gate, TokensThatMakeNoSessionUseUpNothing) {
  Door door;
  const net::ConnectToken spent = door.token(3);
  ASSERT_EQ(door.ask(address_of(3), spent), std::nullopt);
  door.gate->admit(*door.gate->find(address_of(3)));
  const net::ConnectToken elsewhere = door.token(4);
  ASSERT_EQ(door.ask(address_of(4), elsewhere), std::nullopt);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(door.ask(address_of(2), spent), net::Drop::repeated);
    EXPECT_EQ(door.ask(address_of(2), elsewhere), net::Drop::repeated);
  }
  EXPECT_EQ(door.ask(address_of(2), door.token(2)), std::nullopt);
}

// The clock of the back end is ahead, so its tokens are created in the future. Each becomes valid
// at its creation time. A server that starts after that time refuses it again, as a token from
// before its start.
TEST(Gate, ATokenFromTheFutureMustWait) {
  Door door;
  door.access.key_is_fresh = false;
  door.network.now += 100 * net::kSecond;
  const net::ConnectToken early = door.token(2, {.life = 20});
  door.network.now -= 10 * net::kSecond;
  door.open();
  EXPECT_EQ(door.ask(address_of(2), early), net::Drop::expired_token);
  door.network.now += 10 * net::kSecond;
  EXPECT_EQ(door.ask(address_of(2), early), std::nullopt);
  door.gate->admit(*door.gate->find(address_of(2)));
  door.network.now += net::kSecond;
  door.open();
  EXPECT_EQ(door.ask(address_of(2), early), net::Drop::token_before_start);
}

// With a key that was made for this run, all tokens are accepted at once: no earlier run can have
// accepted them.
TEST(Gate, TakesTokensAtOnceWithAKeyOfThisRun) {
  Door door;
  ASSERT_TRUE(door.access.key_is_fresh);
  EXPECT_TRUE(door.gate->takes_new_tokens());
  EXPECT_EQ(door.ask(address_of(2), door.token(2)), std::nullopt);
}

// An account takes only one place in the table of applicants, however many tokens and addresses it
// uses.
TEST(Gate, AnAccountIsOneApplicant) {
  Door door;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(door.ask(address_of(1000 + i), door.token(7)), std::nullopt) << i;
  }
  EXPECT_EQ(door.gate->find(address_of(1998)), nullptr);
  for (std::uint32_t i = 0; i < 15; ++i) {
    EXPECT_EQ(door.ask(address_of(10 + i), door.token(10 + i)), std::nullopt) << i;
  }
  EXPECT_EQ(door.ask(address_of(30), door.token(30)), net::Drop::flood);
}

// An attacker that saw a request gains nothing by sending it from another address.
TEST(Gate, ATokenIsAtOneAddressAtATime) {
  Door door;
  const net::ConnectToken token = door.token(2);
  EXPECT_EQ(door.ask(address_of(2), token), std::nullopt);
  EXPECT_EQ(door.ask(address_of(9), token), net::Drop::repeated);
  EXPECT_EQ(door.ask(address_of(2), token), std::nullopt);
  door.gate->admit(*door.gate->find(address_of(2)));
  EXPECT_EQ(door.gate->find(address_of(2)), nullptr);
  EXPECT_EQ(door.ask(address_of(2), token), net::Drop::repeated);
}

// An attacker that saw a request and its response gains nothing by repeating both from another
// address: a challenge is valid for one address only.
TEST(Gate, AResponseCountsFromTheAddressThatWasChallengedAlone) {
  Door door;
  const net::ConnectToken token = door.token(2);
  ASSERT_EQ(door.ask(address_of(2), token), std::nullopt);
  const net::PacketSealer sealer(door.port.cipher(), net::kDefaultProtocolId);
  std::array<std::uint8_t, net::kPacketBytesMax> bytes;
  const auto challenge = [&](const net::Address& address) {
    std::vector<std::uint8_t> packet;
    door.gate->challenge(*door.gate->find(address), packet);
    const auto text =
        sealer.open(token.server_to_client, *net::decode_prefix(packet), packet, bytes);
    return std::vector<std::uint8_t>(text->begin(), text->end());
  };
  const std::vector<std::uint8_t> seen = challenge(address_of(2));
  EXPECT_TRUE(door.gate->is_challenge_answer(*door.gate->find(address_of(2)), seen));
  door.network.now += (net::kTimeoutSeconds + 1) * net::kSecond;
  door.gate->update(door.network.now);
  ASSERT_EQ(door.ask(address_of(9), token), std::nullopt);
  const net::PendingClient& other = *door.gate->find(address_of(9));
  EXPECT_FALSE(door.gate->is_challenge_answer(other, seen));
  EXPECT_TRUE(door.gate->is_challenge_answer(other, challenge(address_of(9))));
}

TEST(Gate, NobodyElseDisplacesAnApplicant) {
  Door door;
  ASSERT_EQ(door.ask(address_of(2), door.token(2)), std::nullopt);
  EXPECT_EQ(door.ask(address_of(2), door.token(3)), net::Drop::connected);
  EXPECT_EQ(door.gate->find(address_of(2))->client_id, 2u);
  EXPECT_EQ(door.ask(address_of(2), door.token(2)), std::nullopt);  // account 2 again
  door.network.now += (net::kTimeoutSeconds + 1) * net::kSecond;
  door.gate->update(door.network.now);
  EXPECT_EQ(door.ask(address_of(2), door.token(3)), std::nullopt);
}

// The older token may be in the hands of another device, which must not stop the newer one.
TEST(Gate, AnOlderTokenDoesNotDisplaceTheApplicantWithANewerOne) {
  Door door;
  const net::ConnectToken older = door.token(2);
  const net::ConnectToken same_second = door.token(2);
  door.network.now += net::kSecond;
  ASSERT_EQ(door.ask(address_of(2), door.token(2)), std::nullopt);
  EXPECT_EQ(door.ask(address_of(3), older), net::Drop::connected);
  EXPECT_NE(door.gate->find(address_of(2)), nullptr);
  door.network.now += (net::kTimeoutSeconds + 1) * net::kSecond;
  door.gate->update(door.network.now);
  EXPECT_EQ(door.ask(address_of(3), older), std::nullopt);
  EXPECT_EQ(door.ask(address_of(4), same_second), std::nullopt);
  EXPECT_EQ(door.gate->find(address_of(3)), nullptr);
}

TEST(Gate, TurnsAwayWhereItCannotRememberTokens) {
  Door door(1);
  for (std::uint64_t account = 1; account <= 8; ++account) door.connect(account);
  EXPECT_FALSE(door.gate->has_room());
  EXPECT_EQ(door.ask(address_of(9), door.token(9)), net::Drop::flood);
  door.network.now += (net::kTokenLifeSeconds + 1) * net::kSecond;
  door.gate->update(door.network.now);
  EXPECT_EQ(door.ask(address_of(9), door.token(9)), std::nullopt);
}

// The gate forgets used tokens when they have expired. If the clock is ahead for a while, a used
// token seems to have expired. When the clock is right again, the gate must still refuse this
// token, and accept new ones.
TEST(Gate, AClockThatWasAheadLetsNoTokenInTwiceAndLocksNobodyOut) {
  constexpr std::uint64_t kTenYears = 315'576'000;
  Door door;
  const net::ConnectToken used = door.token(2);
  ASSERT_EQ(door.ask(address_of(2), used), std::nullopt);
  door.gate->admit(*door.gate->find(address_of(2)));
  door.network.epoch += kTenYears;
  door.network.now += 2 * net::kSecond;
  EXPECT_EQ(door.ask(address_of(2), used), net::Drop::expired_token);
  door.gate->update(door.network.now);
  door.network.epoch -= kTenYears;
  EXPECT_EQ(door.ask(address_of(2), used), net::Drop::repeated);
  EXPECT_EQ(door.ask(address_of(2), door.token(2)), std::nullopt);
}

// Two servers of one token share a key, so they use different sequences.
TEST(Gate, ServersOfOneTokenHaveSequencesOfTheirOwn) {
  Door door;
  const net::Address other = address_of(5, 4770);
  std::uint64_t first = 0;
  for (const net::AddressList& servers :
       {net::AddressList{kServer, other}, net::AddressList{other, kServer}}) {
    net::PrivateToken inside{.client_id = 2, .timeout_seconds = 5, .servers = servers};
    const std::uint64_t now = door.network.unix_seconds();
    const net::TokenHead head{door.access.protocol_id, now + 45, {}};
    ASSERT_EQ(door.ask(address_of(2), net::make_connect_token(door.port.cipher(), door.access.key,
                                                              head, now, inside, servers)),
              std::nullopt);
    EXPECT_EQ(door.gate->find(address_of(2))->sequences.next(), first);
    first += net::PacketSequences::kBlock;
  }
}

TEST(Gate, BearsSilenceForFiveMinutesAtMost) {
  const std::pair<std::int32_t, std::int32_t> table[] = {
      {5, 5}, {300, 300}, {301, 300}, {0, 300}, {-1, 300}};
  Door door;
  for (const auto& [said, borne] : table) {
    ASSERT_EQ(door.ask(address_of(2), door.token(2, {.timeout_seconds = said})), std::nullopt);
    EXPECT_EQ(door.gate->find(address_of(2))->timeout_seconds, borne);
  }
}

}  // namespace
}  // namespace orrery
