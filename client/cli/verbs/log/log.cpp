// Adds `orrery log` and its verbs.
#include "client/cli/verbs/log/log.h"

#include "client/cli/verbs/verbs.h"

namespace orrery::cli {

void add_log(Verb& program) {
  Verb log = program.add_group("log", "Inspect, check, export or repair a session log",
                               "  orrery log info a.orrery\n"
                               "  orrery log check a.orrery");
  add_log_info(log);
  add_log_check(log);
  add_log_export(log);
  add_log_repair(log);
}

}  // namespace orrery::cli
