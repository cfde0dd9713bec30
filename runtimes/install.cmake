# find_package(bb) exports the runtime libraries, usable without the harness.
