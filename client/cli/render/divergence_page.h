// Writes a page about a divergence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/session/explain/explanation.h"

namespace orrery::cli {

// How the page names one of the two sessions.
struct PageLog {
  std::string name;  // the path of a log, or "replay"
  std::string build;
};

// Returns one HTML file that needs no other file and no script.
std::string divergence_page(const session::Explanation& explained, const PageLog& a,
                            const PageLog& b);

// Writes a film of the logs that opens before the divergent tick and shows this page beside them.
// Says on stderr what it wrote. If it cannot make a film, it writes only this page, and says why.
// Without a divergence it only says that there is nothing to write. `logs` are the paths of one or
// two logs.
Status write_divergence_film(const std::string& path,
                             const std::optional<session::Explanation>& explained, const PageLog& a,
                             const PageLog& b, const std::vector<std::string>& logs);

}  // namespace orrery::cli
