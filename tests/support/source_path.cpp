// Finds files of the checkout. Only this file depends on where the checkout is.
#include "tests/support/source_path.h"

namespace orrery::test {

std::string source_path(const std::string& relative) { return ORRERY_SOURCE_DIR "/" + relative; }

}  // namespace orrery::test
