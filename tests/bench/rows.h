// Owns the list of the groups of rows that `bench` prints.
#pragma once

namespace orrery::bench {

// physics_rows.cpp: the contact-free tick beside ODE, the divider, the memory; its errors.
void print_free_rows();
void print_target_rows();
void print_million_rows();
void print_thread_rows();
void print_error_rows();

// contact_rows.cpp: bodies that touch, beside Bullet and ODE.
void print_contact_rows();

// method_rows.cpp: bodies on springs, exactly and by every other integrator.
void print_tether_rows();
void print_method_rows();

// rotation_rows.cpp: the methods of rotation beside each other.
void print_rotation_rows();

// image_rows.cpp: image and restore.
void print_image_rows();

// session_rows.cpp: verifying and recording a session.
void print_session_rows();

// wire_rows.cpp: strangers, and connecting.
void print_wire_rows();

// tick_rows.cpp: what one client makes the tick of a server take.
void print_tick_rows();

// follow_rows.cpp: what a client that follows is sent.
void print_follow_rows();

// served_rows.cpp: a thousand clients over real sockets, beside a bare loop and ENet.
void print_served_rows();

}  // namespace orrery::bench
