// Moves kinematic bodies, and the motors and springs of joints, as commands say.
#pragma once

#include "common/world/mutable_world.h"

namespace orrery {

// Returns the settings of a joint of the scene, changed by its drive, which may be nullptr.
physics::JointSettings driven(const JointDef& def, const JointDrive* drive);

// Returns the drive of a joint, or nullptr.
const JointDrive* find_drive(const Controls& controls, std::uint32_t joint);

// Gives the solver the settings of all joints, after the drives were replaced.
void set_joint_drives(MutableWorld& world);

// Returns true if a client with the role play may drive the joint.
bool may_drive(const World& world, const Client& client, std::uint32_t joint);

// Apply the commands of these names (world/command.h). They check everything but the rights.
Verdict set_velocity(MutableWorld& world, const command::SetVelocity& c);
Verdict move_to(MutableWorld& world, const command::MoveTo& c);
Verdict place(MutableWorld& world, const command::Place& c);
Verdict set_motor(MutableWorld& world, const command::SetMotor& c);
Verdict set_target(MutableWorld& world, const command::SetTarget& c);

// Ends the way of a body, if it has one. Returns true if it had one.
bool end_way(Controls& controls, BodyId body);

// Give each kinematic body on a way its mean velocities in this tick, or in a substep of it. Within
// a tick they change from substep to substep: a lift that brakes would otherwise leave its load for
// a moment in each tick. Call the first one before the search for contacts.
void start_ways(MutableWorld& world);
void continue_ways(MutableWorld& world, std::uint32_t substep);
// Ends the ways that end with this tick: their bodies are at rest at the exact pose. Updates the
// hash of the controls. Call it after bodies have moved.
void finish_ways(MutableWorld& world);

}  // namespace orrery
