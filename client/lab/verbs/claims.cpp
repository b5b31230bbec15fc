// Implements `orrery lab claims`: measures what five documents claim about integration methods.
#include "client/lab/claims/claims.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/lab/verbs/lab.h"
#include "common/core/nearest.h"
#include "common/core/result.h"
#include "common/host/process/terminal.h"

namespace orrery::cli {
namespace {

struct LabClaimsOptions {
  std::vector<std::string> ids;
  bool thorough = false;
  bool json = false;
};

using lab::Claim;
using lab::Measurement;
using lab::Notebook;

Result<std::vector<const Claim*>> chosen_claims(const std::vector<std::string>& ids) {
  std::vector<const Claim*> chosen;
  std::vector<std::string_view> known;
  for (const Claim& claim : lab::claims()) {
    known.push_back(claim.id);
    if (ids.empty()) chosen.push_back(&claim);
  }
  for (const std::string& id : ids) {
    const auto found = std::find(known.begin(), known.end(), id);
    if (found == known.end()) return Error{"ID: " + unknown_name("claim", id, known)};
    chosen.push_back(&lab::claims()[static_cast<std::size_t>(found - known.begin())]);
  }
  return chosen;
}

json::Text bound(double value) { return std::isinf(value) ? json::null() : json::of(value); }

json::Text measurement_object(const Measurement& measurement) {
  return json::object({{"what", measurement.what},
                       {"value", measurement.value},
                       {"low", bound(measurement.low)},
                       {"high", bound(measurement.high)},
                       {"within", measurement.within()}});
}

json::Text claim_object(const Claim& claim, const Notebook& note) {
  std::vector<json::Text> measured;
  for (const Measurement& measurement : note.measurements()) {
    measured.push_back(measurement_object(measurement));
  }
  return json::object({{"id", claim.id},
                       {"document", claim.document()},
                       {"sentence", claim.sentence},
                       {"verdict", lab::to_string(claim.verdict)},
                       {"reason", claim.reason},
                       {"measured", json::array(measured)},
                       {"within", note.within()}});
}

void print_measurement(const Measurement& measurement) {
  const char* const mark = measurement.within() ? " " : "!";
  std::printf("      %s %s: %.9g", mark, measurement.what.c_str(), measurement.value);
  if (std::isinf(measurement.low)) {
    std::printf(" (at most %.9g)\n", measurement.high);
  } else if (std::isinf(measurement.high)) {
    std::printf(" (at least %.9g)\n", measurement.low);
  } else {
    std::printf(" (%.9g to %.9g)\n", measurement.low, measurement.high);
  }
}

void print_claim(const Claim& claim, const Notebook& note) {
  std::printf("%s %s: %s\n", std::string(claim.id).c_str(), std::string(claim.document()).c_str(),
              std::string(claim.sentence).c_str());
  std::printf("      %s%s%s\n", std::string(lab::to_string(claim.verdict)).c_str(),
              claim.reason.empty() ? "" : ": ", std::string(claim.reason).c_str());
  for (const Measurement& measurement : note.measurements()) print_measurement(measurement);
}

int lab_claims(const LabClaimsOptions& options) {
  const auto chosen = chosen_claims(options.ids);
  if (!chosen) return unusable(chosen.error().text());
  std::vector<json::Text> objects;
  std::uint64_t outside = 0;
  std::vector<Notebook> notes;
  {
    host::ProgressBar progress("lab claims", chosen.value().size());
    for (const Claim* claim : chosen.value()) {
      Notebook note(options.thorough);
      if (claim->measure != nullptr) claim->measure(note);
      outside += note.within() ? 0 : 1;
      notes.push_back(std::move(note));
      progress.show(notes.size());
    }
  }
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (options.json) objects.push_back(claim_object(*chosen.value()[i], notes[i]));
    if (!options.json) print_claim(*chosen.value()[i], notes[i]);
  }
  if (options.json) {
    json::print(json::object({{"claims", json::array(objects)}, {"outside", outside}}));
  } else {
    std::printf("%zu claims, %llu outside their bounds\n", notes.size(),
                static_cast<unsigned long long>(outside));
  }
  return outside == 0 ? 0 : 1;
}

}  // namespace

void add_lab_claims(Verb& lab) {
  auto [verb, options] =
      lab.add_verb("claims", "Check the claims of the source documents by measurements",
                   "  orrery lab claims\n"
                   "  orrery lab claims S1-16 S2-13\n"
                   "  orrery lab claims --thorough",
                   lab_claims);
  verb.option("ID", options.ids, "Claims to measure").shows_default("all");
  verb.flag("--thorough", options.thorough, "Include the long runs, which take some minutes");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
