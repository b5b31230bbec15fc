namespace orrery { int host_stub; }
