// This program counts what it asks of the host as well.
#include <manager/host_allocations.cpp>
