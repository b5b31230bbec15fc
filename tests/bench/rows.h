// Lists the functions that print the rows of `bench`.
#pragma once

namespace orrery::bench {

// physics_rows.cpp: speed and errors of ticks without contacts, compared with ODE and with the
// limits of the divider and the memory.
void print_free_rows();
void print_target_rows();
void print_million_rows();
void print_error_rows();

// contact_rows.cpp: contacts, compared with Bullet and ODE.
void print_contact_rows();

// fidelity/rows.cpp: errors in motions with a known exact course, compared with Bullet and ODE.
void print_fidelity_rows();

// field/rows.cpp: small scenes that other engines are known to fail, compared with Bullet and ODE.
void print_field_rows();

// thread_rows.cpp: the time on two to sixteen threads compared with one, and what limits the gain.
void print_thread_rows();

// method_rows.cpp: bodies on tethers, with the exact integrator and with every integrator in turn.
void print_tether_rows();
void print_method_rows();

// rotation_rows.cpp: the rotation methods.
void print_rotation_rows();

// image_rows.cpp: saving and restoring images.
void print_image_rows();

// session_rows.cpp: recording, verifying, recovering and seeking in sessions.
void print_session_rows();

// wire_rows.cpp: datagrams of strangers, and connecting.
void print_wire_rows();

// tick_rows.cpp: the server time that one client can cause in a tick.
void print_tick_rows();

// client/follow_rows.cpp: bytes for a follower.
void print_follow_rows();

// client/frame_rows.cpp: the poses of a frame, compared with copying them.
void print_frame_rows();

// served_rows.cpp: a thousand clients over real sockets, compared with a bare loop and ENet.
void print_served_rows();

}  // namespace orrery::bench
