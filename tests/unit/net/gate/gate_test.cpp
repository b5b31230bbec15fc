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
    if (const auto drop = gate->add(applicant, network.now)) return drop;
    challenge.clear();
    gate->challenge(applicant, challenge);
    return std::nullopt;
  }

  // Answers the last challenge with the keys of a token, as the owner of the token does. Returns
  // the applicant that the gate finds, or nothing.
  std::optional<net::PendingClient> answer(const net::Address& from,
                                           const net::ConnectToken& token) {
    const net::PacketSealer sealer(port.cipher(), access.protocol_id);
    alignas(16) std::array<std::uint8_t, net::kPacketBytesMax> buffer;
    const auto text =
        sealer.open(token.server_to_client, *net::decode_prefix(challenge), challenge, buffer);
    if (!text) return std::nullopt;  // the challenge is for another token
    response.clear();
    sealer.seal(token.client_to_server, net::PacketType::response, 1, *text, response);
    return respond(from);
  }
  // Sends the last response from an address.
  std::optional<net::PendingClient> respond(const net::Address& from) {
    const auto read = gate->read_response(from, *net::decode_prefix(response), response);
    const auto* const applicant = std::get_if<net::PendingClient>(&read);
    return applicant ? std::optional(*applicant) : std::nullopt;
  }

  // Asks, answers and connects. Returns false if a step fails.
  bool connect(const net::Address& from, const net::ConnectToken& token) {
    if (ask(from, token)) return false;
    const auto applicant = answer(from, token);
    if (!applicant) return false;
    EXPECT_EQ(applicant->address, from);
    gate->admit(*applicant);
    return true;
  }
  // Connects an account with a new token from its own address.
  void connect(std::uint64_t account) {
    ASSERT_TRUE(connect(address_of(static_cast<std::uint32_t>(1000 + account)), token(account)));
  }

  net::ConnectToken token(std::uint64_t account, const test::TokenChoices& choices = {}) {
    ++network.now;  // makes every token different
    return token_for(access, network, account, choices);
  }

  test::SimulatedNetwork network{1, {}};
  test::Port port{network, kServer};
  net::Access access = access_of(kServer);
  std::vector<std::uint8_t> challenge;  // the last one
  std::vector<std::uint8_t> response;   // the last one
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

// Anybody can forge the address of a request, so requests use up no limit. A response proves its
// address: only then does a connection count.
TEST(Gate, RequestsUseUpNothingOfAnAddress) {
  Door door;
  net::ConnectToken forged = door.token(3);
  forged.sealed[5] ^= 1;
  const net::ConnectToken good = door.token(2), elsewhere = door.token(4);
  ASSERT_EQ(door.ask(address_of(4), elsewhere), std::nullopt);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(door.ask(address_of(2), forged), net::Drop::bad_token);
    EXPECT_EQ(door.ask(address_of(2), elsewhere), std::nullopt);
    EXPECT_EQ(door.ask(address_of(2), good), std::nullopt);
  }
  for (std::uint32_t i = 0; i < net::kConnectionsAtOnce; ++i) {
    EXPECT_TRUE(door.gate->may_connect(address_of(2), door.network.now));
  }
  EXPECT_FALSE(door.gate->may_connect(address_of(2), door.network.now));
  EXPECT_TRUE(door.gate->may_connect(address_of(3), door.network.now));
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
  EXPECT_TRUE(door.connect(address_of(2), early));
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
  for (std::uint32_t i = 0; i < 15; ++i) {
    EXPECT_EQ(door.ask(address_of(10 + i), door.token(10 + i)), std::nullopt) << i;
  }
  EXPECT_EQ(door.ask(address_of(30), door.token(30)), net::Drop::flood);
}

// An attacker copies a request, and sends it from its own addresses before the owner, between the
// steps of the owner, and afterwards. The owner connects, and the attacker cannot.
TEST(Gate, CopiesOfARequestKeepItsOwnerOutNowhere) {
  for (int copies_before = 0; copies_before < 40; ++copies_before) {
    Door door;
    const net::ConnectToken token = door.token(2);
    std::uint32_t thief = 1000;
    const auto copy = [&] { EXPECT_EQ(door.ask(address_of(++thief), token), std::nullopt); };
    for (int i = 0; i < copies_before; ++i) copy();
    ASSERT_EQ(door.ask(address_of(2), token), std::nullopt);
    const std::vector<std::uint8_t> owners = door.challenge;
    for (int i = 0; i < 40; ++i) copy();
    door.challenge = owners;
    const auto applicant = door.answer(address_of(2), token);
    ASSERT_TRUE(applicant) << copies_before << " copies before";
    EXPECT_EQ(applicant->address, address_of(2));
    for (std::uint32_t i = 1000; i <= thief; ++i) EXPECT_FALSE(door.respond(address_of(i)));
    door.gate->admit(*applicant);
    EXPECT_FALSE(door.respond(address_of(2)));
    EXPECT_EQ(door.ask(address_of(2), token), net::Drop::repeated);
    EXPECT_EQ(door.ask(address_of(thief), token), net::Drop::repeated);
  }
}

// A token lists two servers. The attacker copies a request to the first server, and is at the
// second server before the owner.
TEST(Gate, ACopyAtTheSecondServerOfATokenKeepsNobodyOut) {
  Door first, second;
  second.access.address = address_of(5, 4770);
  second.open();
  net::PrivateToken inside{
      .client_id = 2, .timeout_seconds = 5, .servers = {kServer, second.access.address}};
  inside.client_to_server.fill(3);
  inside.server_to_client.fill(4);
  const std::uint64_t now = first.network.unix_seconds();
  const net::ConnectToken token = net::make_connect_token(first.port.cipher(), first.access.key,
                                                          {first.access.protocol_id, now + 45, {}},
                                                          now, inside, inside.servers);
  ASSERT_EQ(first.ask(address_of(2), token), std::nullopt);
  for (std::uint32_t i = 0; i < 15; ++i) {
    ASSERT_EQ(second.ask(address_of(100 + i), token), std::nullopt);
  }
  EXPECT_TRUE(second.connect(address_of(2), token));
}

// Copies of many requests compete for the memory of contested applicants. Each owner still gets in
// with one of its repetitions.
TEST(Gate, CopiesOfManyRequestsKeepNobodyOut) {
  Door door(64);
  std::vector<net::ConnectToken> tokens;
  for (std::uint64_t account = 0; account < 64; ++account) tokens.push_back(door.token(account));
  const auto copy = [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      door.ask(address_of(1000), tokens[i % tokens.size()]);
    }
  };
  copy(0, tokens.size());
  for (std::uint32_t account = 0; account < tokens.size(); ++account) {
    const net::Address owner = address_of(2000 + account);
    std::optional<net::PendingClient> applicant;
    for (int tries = 0; tries < 100 && !applicant; ++tries) {
      ASSERT_EQ(door.ask(owner, tokens[account]), std::nullopt);
      const std::vector<std::uint8_t> challenge = door.challenge;
      copy(account + 1, 10);
      door.challenge = challenge;
      applicant = door.answer(owner, tokens[account]);
    }
    ASSERT_TRUE(applicant) << "account " << account;
    door.gate->admit(*applicant);
  }
}

// A challenge is valid for one address. An attacker that saw a request and its response gains
// nothing by repeating both from another address.
TEST(Gate, AResponseCountsFromTheAddressThatWasChallengedAlone) {
  Door door;
  const net::ConnectToken token = door.token(2);
  ASSERT_EQ(door.ask(address_of(2), token), std::nullopt);
  ASSERT_TRUE(door.answer(address_of(2), token));
  const std::vector<std::uint8_t> seen = door.response;
  ASSERT_EQ(door.ask(address_of(9), token), std::nullopt);
  EXPECT_FALSE(door.respond(address_of(9)));
  EXPECT_TRUE(door.answer(address_of(9), token));
  door.response = seen;
  EXPECT_TRUE(door.respond(address_of(2)));
}

// Two accounts behind one address and port: an attacker forges the address of another client in a
// request with its own token. Both accounts can answer.
TEST(Gate, NobodyElseBlocksAnAddress) {
  Door door;
  ASSERT_EQ(door.ask(address_of(2), door.token(2)), std::nullopt);
  const net::ConnectToken token = door.token(3);
  EXPECT_TRUE(door.connect(address_of(2), token));
}

// The older token may be in the hands of another device, which must not stop the newer one.
TEST(Gate, AnOlderTokenDoesNotDisplaceTheApplicantWithANewerOne) {
  Door door;
  const net::ConnectToken older = door.token(2);
  const net::ConnectToken same_second = door.token(2);
  door.network.now += net::kSecond;
  const net::ConnectToken newer = door.token(2);
  ASSERT_EQ(door.ask(address_of(2), newer), std::nullopt);
  EXPECT_EQ(door.ask(address_of(3), older), net::Drop::connected);
  EXPECT_TRUE(door.answer(address_of(2), newer));
  door.network.now += (net::kTimeoutSeconds + 1) * net::kSecond;
  door.gate->update(door.network.now);
  EXPECT_EQ(door.ask(address_of(3), older), std::nullopt);
  EXPECT_TRUE(door.answer(address_of(3), older));
  EXPECT_EQ(door.ask(address_of(4), same_second), std::nullopt);
  EXPECT_FALSE(door.respond(address_of(3)));
}

TEST(Gate, TurnsAwayWhereItCannotRememberTokens) {
  Door door(1);
  for (std::uint64_t account = 1; account <= 8; ++account) door.connect(account);
  EXPECT_FALSE(door.gate->has_room({}));
  EXPECT_TRUE(door.gate->has_room({.ticket = 1}));
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
  ASSERT_TRUE(door.connect(address_of(2), used));
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
    const net::ConnectToken token =
        net::make_connect_token(door.port.cipher(), door.access.key, head, now, inside, servers);
    ASSERT_EQ(door.ask(address_of(2), token), std::nullopt);
    EXPECT_EQ(door.answer(address_of(2), token)->sequences.next(), first);
    first += net::PacketSequences::kBlock;
  }
}

TEST(Gate, BearsSilenceForFiveMinutesAtMost) {
  const std::pair<std::int32_t, std::int32_t> table[] = {
      {5, 5}, {300, 300}, {301, 300}, {0, 300}, {-1, 300}};
  Door door;
  for (const auto& [said, borne] : table) {
    const net::ConnectToken token = door.token(2, {.timeout_seconds = said});
    ASSERT_EQ(door.ask(address_of(2), token), std::nullopt);
    EXPECT_EQ(door.answer(address_of(2), token)->owner.timeout_seconds, borne);
  }
}

// Accounts begin at 1: 0 means that a client has none. Without a key file nobody has one.
TEST(Gate, AccountZeroIsNobodys) {
  Door door;
  door.access.key_is_fresh = true;
  door.open();
  EXPECT_EQ(door.ask(address_of(2), door.token(0)), std::nullopt);
  door.access.key_is_fresh = false;
  door.open();
  door.network.now += 2 * net::kSecond;
  EXPECT_EQ(door.ask(address_of(3), door.token(0)), net::Drop::bad_token);
  EXPECT_EQ(door.ask(address_of(3), door.token(1)), std::nullopt);
}

}  // namespace
}  // namespace orrery
