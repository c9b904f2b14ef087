#pragma once

#include <string>

namespace sqlite_client {

/// Called after each phase of the workload; null calls nobody.
using after_phase = void (*)();

/// Fills, asks, changes and empties an in-memory database, in the manner of SQLite's speed test, `scale` times as much
/// as at the least. Returns all that the queries returned, as bytes: the same for each allocator. Ends the program
/// where SQLite reports an error. `seed` makes another database.
std::string run_workload(int scale, unsigned seed, after_phase looked = nullptr);

/// Inserts blobs into a database until SQLite runs out of memory, and then asks what is in it. Returns the number of
/// blobs, or -1 if the database is not as it was before the insertion that failed.
long fill_until_out_of_memory();

}  // namespace sqlite_client
