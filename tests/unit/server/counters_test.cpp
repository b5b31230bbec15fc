// Tests the list of counters: the page and every output have each of them.
//
// ORRERY_WRITE_PAGES=1 build/bin/unit_tests --gtest_filter='Counters.*' writes the table of the
// page.
#include "server/operator/counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "tests/support/source_path.h"
#include "tests/unit/server/captured_lines.h"

namespace orrery::server {
namespace {

// Returns the name of a counter on the page: the place in the status file.
template <class Report>
std::string page_name(const Counter<Report>& counter) {
  const std::string group = counter.group == "session"   ? ""
                            : counter.group == "dropped" ? "network.dropped."
                                                         : std::string(counter.group) + '.';
  return group + std::string(counter.name);
}

template <class Report>
void add_rows(std::span<const Counter<Report>> counters, std::string& rows) {
  for (const Counter<Report>& counter : counters) {
    rows += "| `" + page_name(counter) + "` | " + std::string(counter.meaning) + " |\n";
  }
}

std::size_t members(std::size_t bytes) { return bytes / sizeof(std::uint64_t); }

std::size_t rows_of(std::string_view group) {
  return static_cast<std::size_t>(
      std::ranges::count(session_counters(), group, &Counter<SessionReport>::group));
}

// A report in which every counter has a value.
SessionReport full_report() {
  SessionReport report;
  report.clients.resize(1);
  report.shadow.emplace();
  report.log.damage = "a \"file\" is missing";
  report.network.drops[static_cast<std::size_t>(net::Drop::flood)] = 7;
  return report;
}

TEST(Counters, ThePageHasTheTable) {
  const std::string path = test::source_path("server/REFERENCE.md");
  std::ifstream in(path);
  std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::string head = "| counter | meaning |\n|---|---|\n";
  std::string rows = head;
  add_rows(session_counters(), rows);
  add_rows(client_counters(), rows);
  const std::size_t start = page.find(head);
  ASSERT_NE(start, std::string::npos);
  const std::size_t end = page.find("\n\n", start) + 1;
  if (std::getenv("ORRERY_WRITE_PAGES")) {
    page.replace(start, end - start, rows);
    std::ofstream(path) << page;
  } else {
    EXPECT_EQ(page.substr(start, end - start), rows) << "the first lines of this file say how";
  }
}

TEST(Counters, HaveNamesOfTheirOwnAndASentence) {
  std::set<std::string> names;
  for (const Counter<SessionReport>& counter : session_counters()) {
    EXPECT_TRUE(names.insert(page_name(counter)).second) << counter.name;
    EXPECT_TRUE(counter.meaning.ends_with('.')) << counter.name;
    EXPECT_EQ(counter.meaning.find_first_of("\n\\|"), std::string::npos) << counter.name;
  }
}

// A member that nothing shows counts for nobody.
TEST(Counters, ShowEveryMemberThatCounts) {
  EXPECT_EQ(rows_of("dropped"), net::kDrops);
  const std::size_t of_the_socket = 2;
  EXPECT_EQ(rows_of("network") + net::kDrops, members(sizeof(net::NetCounters)) + of_the_socket);
  EXPECT_EQ(rows_of("commands"), members(sizeof(InboxCounters)) + members(sizeof(RefusalCounters)));
}

TEST(Counters, AreInTheStatusFileTheLogAndTheMetrics) {
  const SessionReport report = full_report();
  const std::string json = to_json(report);
  const std::string metrics = to_metrics(report);
  test::CapturedLines lines;
  log_counters(report);
  const std::string logged = lines.take();
  for (const Counter<SessionReport>& counter : session_counters()) {
    EXPECT_NE(json.find('"' + std::string(counter.name) + "\": "), std::string::npos);
    EXPECT_NE(logged.find(' ' + std::string(counter.name) + '='), std::string::npos);
    const bool is_text = counter.name == "problem";
    EXPECT_EQ(metrics.find(counter.name) == std::string::npos, is_text) << counter.name;
  }
  for (const Counter<ClientReport>& counter : client_counters()) {
    EXPECT_NE(json.find('"' + std::string(counter.name) + "\": "), std::string::npos);
  }
}

// The text format 0.0.4 of Prometheus: a family has a help, a type, and then its samples.
TEST(Counters, HaveThePrometheusTextFormat) {
  const std::string metrics = to_metrics(full_report());
  const std::regex family(
      "# HELP (orrery_[a-z_]+) [^\\n]+\\.\\n# TYPE \\1 (counter|gauge)\\n"
      "(\\1(\\{reason=\"[a-z_]+\"\\})? [0-9.e+-]+\\n)+");
  std::set<std::string> names;
  std::size_t read = 0;
  for (std::sregex_iterator it(metrics.begin(), metrics.end(), family), end; it != end; ++it) {
    EXPECT_EQ(static_cast<std::size_t>(it->position()), read);
    read += static_cast<std::size_t>(it->length());
    EXPECT_TRUE(names.insert((*it)[1]).second) << (*it)[1];
    EXPECT_EQ((*it)[1].str().ends_with("_total"), (*it)[2] == "counter") << (*it)[1];
  }
  EXPECT_EQ(read, metrics.size()) << metrics.substr(read, 200);
  EXPECT_NE(metrics.find("\norrery_dropped_total{reason=\"flood\"} 7\n"), std::string::npos);
  EXPECT_NE(metrics.find("\norrery_shadow_differs 0\n"), std::string::npos);
}

TEST(Counters, WithoutAValueAreLeftOut) {
  const std::string metrics = to_metrics(SessionReport{});
  EXPECT_EQ(metrics.find("orrery_shadow"), std::string::npos);
  EXPECT_EQ(metrics.find("orrery_paths"), std::string::npos);
  EXPECT_NE(to_json(SessionReport{}).find("\"paths\": null"), std::string::npos);
}

}  // namespace
}  // namespace orrery::server
