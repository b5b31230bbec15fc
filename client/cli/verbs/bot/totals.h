// Adds up and prints the results of test clients.
#pragma once

#include <cstdint>
#include <vector>

#include "client/cli/bots/shown_check.h"
#include "client/cli/verbs/bot/crowd.h"

namespace orrery::cli {

// The results of all bots together.
struct Totals {
  std::uint32_t clients = 0;
  std::uint64_t connected = 0;
  client::BotReport sum;
  client::ShownReport shown;
  double seconds = 0;      // time for which the bots played
  double cpu_seconds = 0;  // CPU time of this process meanwhile
};

// Returns the sums of the results.
Totals add_up(const std::vector<Seat>& crowd);

// Prints the totals on stdout, as JSON or as lines.
void print(const Totals& totals, bool as_json);

}  // namespace orrery::cli
