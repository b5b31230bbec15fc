// Sets the values of a session, and checks commands about its clients.
#pragma once

#include "common/world/mutable_world.h"

namespace orrery {

// Returns the value with this key, or nullptr.
const NamedValue* find_value(const Controls& controls, const command::Key& key);

// Apply the commands of these names (world/command.h). They check everything but the rights.
// The first value of a session allocates room for all.
Verdict set_value(MutableWorld& world, const command::SetValue& c);
Verdict tell(MutableWorld& world, const command::Tell& c);
Verdict kick(MutableWorld& world, const command::Kick& c);
Verdict ban(MutableWorld& world, const command::Ban& c);

}  // namespace orrery
