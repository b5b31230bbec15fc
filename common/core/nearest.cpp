// Finds the known names that are nearest to a misspelt one.
#include "common/core/nearest.h"

#include <algorithm>
#include <vector>

#include "common/core/assert.h"
#include "common/core/printable.h"

namespace orrery {

namespace {

constexpr std::size_t kNameLengthMax = 40;
constexpr std::size_t kSuggestionsMax = 3;
constexpr std::size_t kNearLettersMax = 2;

// Returns how many letters of `a` must be inserted, deleted, changed or swapped with a neighbour to
// get `b`. This is the restricted Damerau-Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1);  // the row before `row`
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({change, next[j - 1] + 1, row[j] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], above[j - 2] + 1);
    }
    above.swap(row);
    row.swap(next);
  }
  ORRERY_ASSERT(row.back() <= std::max(a.size(), b.size()));
  return row.back();
}

// Returns the edit distance, but at most 1 if one name contains the other. Containment counts only
// if `name` has at least three letters.
std::size_t distance(std::string_view name, std::string_view known) {
  const bool contained = name.size() >= 3 && (known.find(name) != std::string_view::npos ||
                                              name.find(known) != std::string_view::npos);
  const std::size_t letters = edit_distance(name, known);
  return contained ? std::min<std::size_t>(letters, 1) : letters;
}

}  // namespace

std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string_view> known) {
  ORRERY_ASSERT(!known.empty());
  const std::string_view head = name.substr(0, kNameLengthMax);
  std::vector<std::string_view> sorted(known.begin(), known.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::string_view a, std::string_view b) {
    return distance(head, a) < distance(head, b);
  });
  sorted.resize(std::min(sorted.size(), kSuggestionsMax));
  std::string text = "unknown ";
  text.append(what).append(" \"").append(printable(name, kNameLengthMax)).append("\"");
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool last = i + 1 == sorted.size();
    text.append(i == 0 ? "; did you mean " : last ? " or " : ", ").append(sorted[i]);
  }
  return text + "?";
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view head = name.substr(0, kNameLengthMax);
  std::string_view nearest;
  std::size_t least = kNearLettersMax + 1;
  for (const std::string_view candidate : known) {
    const std::size_t letters = distance(head, candidate);
    if (letters >= least || 2 * letters > candidate.size()) continue;
    least = letters;
    nearest = candidate;
  }
  ORRERY_ASSERT(nearest.empty() || least <= kNearLettersMax);
  return nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(name, known);
  if (!nearest.empty()) return "; did you mean " + std::string(nearest) + "?";
  std::string text = known.size() == 1 ? "; there is only " : "; there are ";
  for (std::size_t i = 0; i < known.size(); ++i) text.append(i == 0 ? "" : ", ").append(known[i]);
  return text;
}

}  // namespace orrery
