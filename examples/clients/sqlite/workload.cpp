// The statements are prepared once and bound many times, as a program would; one phase each for the kinds of work that
// allocate differently: small rows, indices, sorting, joins, blobs of varied sizes, and giving all back.
#include "workload.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sqlite3.h>
#include <string>
#include <vector>

namespace sqlite_client {

namespace {

class database {
public:
    database() { expect(sqlite3_open(":memory:", &open_), "open"); }
    ~database() { expect(sqlite3_close(open_), "close"); }
    database(const database&) = delete;
    database& operator=(const database&) = delete;

    sqlite3* get() const { return open_; }
    void execute(const char* sql) { expect(sqlite3_exec(open_, sql, nullptr, nullptr, nullptr), sql); }
    void expect(int status, const char* what) const {
        if (status == SQLITE_OK) return;
        std::printf("SQLite: %s: %s\n", what, sqlite3_errmsg(open_));
        std::exit(1);
    }

private:
    sqlite3* open_ = nullptr;
};

/// A prepared statement. `step` appends what a row says to the results.
class statement {
public:
    statement(database& in, const char* sql) : in_(in) {
        in_.expect(sqlite3_prepare_v2(in_.get(), sql, -1, &prepared_, nullptr), sql);
    }
    ~statement() { sqlite3_finalize(prepared_); }
    statement(const statement&) = delete;
    statement& operator=(const statement&) = delete;

    statement& bind(int at, std::int64_t value) {
        return in_.expect(sqlite3_bind_int64(prepared_, at, value), "bind"), *this;
    }
    statement& bind(int at, const std::string& text) {
        in_.expect(sqlite3_bind_text(prepared_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT),
                   "bind");
        return *this;
    }
    statement& bind_blob(int at, const std::vector<char>& bytes) {
        in_.expect(sqlite3_bind_blob(prepared_, at, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT),
                   "bind");
        return *this;
    }
    /// Runs it to its end.
    int run(std::string& results) {
        int status = SQLITE_ROW;
        while ((status = sqlite3_step(prepared_)) == SQLITE_ROW)
            for (int column = 0; column < sqlite3_column_count(prepared_); ++column) append(column, results);
        sqlite3_reset(prepared_);
        sqlite3_clear_bindings(prepared_);
        return status;
    }
    void run_well(std::string& results) {
        in_.expect(run(results) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR, sqlite3_sql(prepared_));
    }

private:
    /// The type, the length and the bytes, so that different rows never read the same.
    void append(int column, std::string& results) const {
        results += std::to_string(sqlite3_column_type(prepared_, column));
        const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(prepared_, column));
        const int length = sqlite3_column_bytes(prepared_, column);
        results += ':' + std::to_string(length) + ':';
        if (length > 0) results.append(bytes, static_cast<std::size_t>(length));
    }

    database& in_;
    sqlite3_stmt* prepared_ = nullptr;
};

/// A linear congruential generator with the constants of Knuth's MMIX: the same numbers on every machine.
class numbers {
public:
    explicit numbers(unsigned seed) : state_(seed) {}
    std::int64_t below(std::uint64_t limit) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::int64_t>((state_ >> 33) % limit);
    }

private:
    std::uint64_t state_;
};

std::string words(std::int64_t number) {
    static constexpr const char* digits[] = {"zero", "one", "two",   "three", "four",
                                             "five", "six", "seven", "eight", "nine"};
    std::string text;
    for (const char each : std::to_string(number)) text += std::string(text.empty() ? "" : " ") + digits[each - '0'];
    return text;
}

std::vector<char> blob(numbers& next, std::uint64_t longest) {
    std::vector<char> bytes(static_cast<std::size_t>(next.below(longest)));
    const auto first = static_cast<char>(next.below(128));
    for (std::size_t at = 0; at < bytes.size(); ++at)
        bytes[at] = static_cast<char>((at * 7 + static_cast<std::size_t>(first)) & 127);
    return bytes;
}

}  // namespace

std::string run_workload(int scale, unsigned seed, after_phase looked) {
    std::string results;
    numbers next(seed);
    const int rows = 1000 * scale;
    const auto range = static_cast<std::uint64_t>(rows);
    const auto ended = [&] {
        if (looked != nullptr) looked();
    };

    database data;
    data.execute("CREATE TABLE plain(a INTEGER, b INTEGER, c TEXT);"
                 "CREATE TABLE keyed(a INTEGER PRIMARY KEY, b INTEGER, c TEXT);"
                 "CREATE TABLE files(id INTEGER PRIMARY KEY, bytes BLOB);");
    ended();

    data.execute("BEGIN");
    for (const char* const sql : {"INSERT INTO plain VALUES(?1,?2,?3)", "INSERT INTO keyed VALUES(?1,?2,?3)"}) {
        statement insert(data, sql);
        for (int row = 0; row < rows; ++row) {
            const std::int64_t number = next.below(range * 9);
            insert.bind(1, row).bind(2, number).bind(3, words(number)).run_well(results);
        }
    }
    data.execute("COMMIT");
    ended();

    {
        statement select(data, "SELECT count(*), avg(b), max(c) FROM plain WHERE b BETWEEN ?1 AND ?2");
        for (int query = 0; query < 20; ++query) {
            const std::int64_t low = next.below(range * 8);
            select.bind(1, low).bind(2, low + rows / 10).run_well(results);
        }
    }
    ended();

    data.execute("CREATE INDEX plain_b ON plain(b); CREATE INDEX keyed_c ON keyed(c);");
    {
        statement by_number(data, "SELECT a, c FROM plain WHERE b BETWEEN ?1 AND ?1+20 ORDER BY c DESC, a");
        statement by_text(data, "SELECT count(*), sum(length(c)), group_concat(a) FROM keyed WHERE c LIKE ?1");
        for (int query = 0; query < rows; ++query) by_number.bind(1, next.below(range * 9)).run_well(results);
        for (int query = 0; query < 20; ++query)
            by_text.bind(1, words(next.below(9) + 1) + " " + words(next.below(10)) + "%").run_well(results);
    }
    ended();

    statement(data,
              "SELECT p.a, k.a, k.c FROM plain p JOIN keyed k ON k.a = p.b % 1000 WHERE p.a % 17 = 3 ORDER BY k.c, p.a")
        .run_well(results);
    statement(
        data,
        "SELECT b % 100 AS g, count(*), min(c), max(a) FROM plain GROUP BY g HAVING count(*) > 2 ORDER BY 2 DESC, 1")
        .run_well(results);
    statement(data, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x < 5000)"
                    " SELECT sum(x * x % 97), group_concat(x % 7, '') FROM n")
        .run_well(results);
    ended();

    data.execute("BEGIN");
    {
        statement update(data, "UPDATE plain SET b = b + ?2, c = c || ' and ' || ?2 WHERE a = ?1");
        statement replace(data, "REPLACE INTO keyed VALUES(?1, ?2, ?3)");
        for (int row = 0; row < rows; row += 3) {
            update.bind(1, next.below(range)).bind(2, next.below(1000)).run_well(results);
            replace.bind(1, next.below(range * 2))
                .bind(2, row)
                .bind(3, words(next.below(range * range)))
                .run_well(results);
        }
    }
    data.execute("COMMIT");
    ended();

    // Blobs of a few bytes to 60 kB come and go; each second is replaced by another of another size.
    {
        statement put(data, "REPLACE INTO files VALUES(?1, ?2)");
        statement get(data, "SELECT length(bytes), hex(substr(bytes, 1, 16)), bytes FROM files WHERE id = ?1");
        statement drop(data, "DELETE FROM files WHERE id = ?1");
        for (int file = 0; file < 60 * scale; ++file) {
            put.bind(1, next.below(40)).bind_blob(2, blob(next, file % 2 == 0 ? 60'000 : 500)).run_well(results);
            get.bind(1, next.below(40)).run_well(results);
            drop.bind(1, next.below(80)).run_well(results);
        }
    }
    ended();

    data.execute("DELETE FROM plain WHERE a % 3 = 0; DELETE FROM keyed WHERE c LIKE '%seven%'");
    data.execute("VACUUM");
    ended();
    statement(data, "SELECT count(*), sum(b), sum(length(c)) FROM plain").run_well(results);
    statement(data, "SELECT * FROM keyed ORDER BY c LIMIT 500").run_well(results);
    statement(data, "PRAGMA integrity_check").run_well(results);
    data.execute("DROP TABLE plain; DROP TABLE keyed; DROP TABLE files");
    ended();
    return results;
}

long fill_until_out_of_memory() {
    std::string ignored;
    numbers next(1);
    database data;
    data.execute("CREATE TABLE files(id INTEGER PRIMARY KEY, bytes BLOB)");
    void* const held_back = sqlite3_malloc(200'000);
    long inserted = 0;
    {
        statement put(data, "INSERT INTO files VALUES(?1, zeroblob(?2))");
        int status = SQLITE_DONE;
        while (status == SQLITE_DONE) {
            status = put.bind(1, inserted).bind(2, next.below(20'000)).run(ignored);
            if (status == SQLITE_DONE) ++inserted;
        }
        if (status != SQLITE_NOMEM) return -1;
    }
    // With what was held back there is room again, and the insertion that failed has left nothing.
    sqlite3_free(held_back);
    std::string found;
    statement(data, "SELECT count(*) FROM files").run_well(found);
    const std::string count = std::to_string(inserted);
    if (found != "1:" + std::to_string(count.size()) + ':' + count) return -1;
    found.clear();
    statement(data, "PRAGMA integrity_check").run_well(found);
    if (found != "3:2:ok") return -1;
    statement(data, "INSERT INTO files VALUES(?1, zeroblob(5000))").bind(1, inserted).run_well(ignored);
    return inserted;
}

}  // namespace sqlite_client
