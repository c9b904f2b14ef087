#pragma once

/// Memories of a few quanta as lists of blocks, with the contract of `memory_set` over managers under `first_fit` that
/// neither move nor evict. Shares no code with the library.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hbm::test {

struct plain_block {
    int offset = 0, size = 0;
    int buffer = -1, program = -1;  // one of them: the number of what lies here
    bool freed = false;             // deferred: it returns when no run holds it
    int until = 0;                  // a run that the free waits for
    bool late = false;              // that run is not one of this memory
    std::vector<int> holds = {};    // runs

    [[nodiscard]] int end() const { return offset + size; }
};

struct plain_memory {
    int capacity = 0;
    std::vector<plain_block> blocks;  // in address order
    std::vector<int> flights;         // runs, oldest first

    [[nodiscard]] plain_block* find(int buffer) {
        for (plain_block& block : blocks)
            if (block.buffer == buffer) return &block;
        return nullptr;
    }
    /// Places a block in the lowest hole. Returns false if there is none.
    bool place(int size, int buffer, int program = -1) {
        int low = 0;
        auto at = blocks.begin();
        for (; at != blocks.end() && at->offset - low < size; ++at) low = at->end();
        if (low + size > capacity) return false;
        blocks.insert(at, {.offset = low, .size = size, .buffer = buffer, .program = program});
        return true;
    }
    /// Ends the runs up to `run`.
    void retire(int run) {
        std::erase_if(flights, [&](int flight) { return flight <= run; });
        for (plain_block& block : blocks) std::erase_if(block.holds, [&](int hold) { return hold <= run; });
        release(run);
    }
    void release(int run) {
        std::erase_if(blocks, [&](const plain_block& block) {
            return block.freed && !block.late && block.holds.empty() && block.until <= run;
        });
    }
    /// Calls `act(memory)` on copies after as few waits as it takes. Returns the number of waits, or nothing.
    template <class Act>
    [[nodiscard]] std::optional<std::size_t> after_few_waits(Act act) {
        for (std::size_t waits = 0; waits <= flights.size(); ++waits) {
            plain_memory later = *this;
            if (waits != 0) later.retire(flights[waits - 1]);
            if (!act(later)) continue;
            *this = std::move(later);
            return waits;
        }
        return std::nullopt;
    }
    /// A letter for each quantum: B for a buffer, C for a program, D for a deferred free.
    [[nodiscard]] std::string shown() const {
        std::string text(static_cast<std::size_t>(capacity), '.');
        for (const plain_block& block : blocks)
            for (int at = block.offset; at < block.end(); ++at)
                text[static_cast<std::size_t>(at)] = block.program >= 0 ? 'C' : block.freed && !block.late ? 'D' : 'B';
        return text;
    }
};

struct plain_part {
    int kind = 0, size = 0;
};

struct plain_set {
    struct run_record {
        int number = 0;
        std::vector<bool> uses;
    };
    struct adopted_record {
        int buffer = 0, until = 0;
        bool freed = false;
    };

    std::vector<plain_memory> memories;
    int runs_in_flight = 0;
    int issued = 0, reached = 0;
    int buffers = 0, programs = 0;      // numbers given out
    int wait_price = 0, use_price = 0;  // of a run, and of a quantum in another memory; 0: spill in order
    std::vector<run_record> flights = {};
    std::vector<adopted_record> adopted = {};
    int failed = -1;  // the memory in which the latest call failed

    [[nodiscard]] int kind_of(int buffer) {
        for (std::size_t at = 0; at < memories.size(); ++at)
            if (memories[at].find(buffer) != nullptr) return static_cast<int>(at);
        return -1;
    }
    [[nodiscard]] bool has_part(int program, std::size_t kind) const {
        return std::any_of(memories[kind].blocks.begin(), memories[kind].blocks.end(),
                           [&](const plain_block& block) { return block.program == program; });
    }

    /// Returns the number of the new buffer, or -1.
    int allocate(int kind, int size, bool spills) {
        int best = -1, least = 0;
        for (int at = kind; at < static_cast<int>(memories.size()); ++at) {
            if (at != kind && !spills) break;
            plain_memory trial = memories[static_cast<std::size_t>(at)];
            const auto waits = trial.after_few_waits([&](plain_memory& memory) { return memory.place(size, -1); });
            if (!waits) continue;
            const int price = static_cast<int>(*waits) * wait_price + (at == kind ? 0 : size * use_price);
            if (best == -1 || (use_price != 0 && price < least)) best = at, least = price;
        }
        failed = kind;
        if (best == -1) return -1;
        static_cast<void>(memories[static_cast<std::size_t>(best)].after_few_waits(
            [&](plain_memory& memory) { return memory.place(size, buffers); }));
        catch_up();
        return buffers++;
    }
    void free(int buffer, int until = 0) {
        for (adopted_record& record : adopted)
            if (record.buffer == buffer) record.freed = true, record.until = std::max(record.until, until);
        if (const int kind = kind_of(buffer); kind >= 0) {
            plain_memory& memory = memories[static_cast<std::size_t>(kind)];
            plain_block& block = *memory.find(buffer);
            block.freed = true;
            block.until = until;
            for (const run_record& run : flights)
                block.late |= run.number == until && !run.uses[static_cast<std::size_t>(kind)];
            memory.release(reached);
        }
        release_adopted();
    }
    /// Returns the number of the new buffer, or -1. The waits of a copy that fails remain.
    int move_to(int buffer, int kind, bool copies) {
        const int from = kind_of(buffer);
        if (from == kind) return buffer;
        const int size = memories[static_cast<std::size_t>(from)].find(buffer)->size;
        const int moved = allocate(kind, size, false);
        if (moved == -1) return -1;
        free(copies ? buffer : moved);
        return copies ? moved : -1;
    }
    /// Returns the number of the new program, or -1.
    int load(const std::vector<plain_part>& parts) {
        std::vector<plain_memory> trial = memories;
        for (std::size_t kind = 0; kind < trial.size(); ++kind) {
            int size = 0;
            for (const plain_part& part : parts) size += part.kind == static_cast<int>(kind) ? part.size : 0;
            if (size == 0) continue;
            failed = static_cast<int>(kind);
            if (!trial[kind].after_few_waits([&](plain_memory& memory) { return memory.place(size, -1, programs); }))
                return -1;
        }
        memories = trial;
        catch_up();
        return programs++;
    }
    /// Waits for the runs of a program, each memory for its own, and ends it.
    void unload(int program, const std::vector<int>& runs) {
        for (std::size_t kind = 0; kind < memories.size(); ++kind) {
            if (!has_part(program, kind)) continue;
            int last = 0;
            for (const int run : runs)
                if (std::count(memories[kind].flights.begin(), memories[kind].flights.end(), run) != 0)
                    last = std::max(last, run);
            memories[kind].retire(last);
            std::erase_if(memories[kind].blocks, [&](const plain_block& block) { return block.program == program; });
        }
        catch_up();
    }
    /// Returns the numbers of the outputs, or nothing if the run fails. `donors` receives an index for each output.
    std::optional<std::vector<int>> run(int program, const std::vector<int>& inputs, const std::vector<int>& donated,
                                        const std::vector<plain_part>& outputs, std::vector<int>& donors) {
        std::vector<plain_memory> trial = memories;
        run_record record{issued + 1, std::vector<bool>(memories.size())};
        std::vector<int> fresh;
        donors.assign(outputs.size(), -1);
        for (std::size_t at = 0; at < outputs.size(); ++at) fresh.push_back(buffers + static_cast<int>(at));
        for (std::size_t kind = 0; kind < memories.size(); ++kind) {
            const auto is_here = [&](int buffer) { return kind_of(buffer) == static_cast<int>(kind); };
            record.uses[kind] = has_part(program, kind) || std::any_of(inputs.begin(), inputs.end(), is_here) ||
                                std::any_of(donated.begin(), donated.end(), is_here);
            for (const plain_part& output : outputs)
                record.uses[kind] = record.uses[kind] || output.kind == static_cast<int>(kind);
            if (!record.uses[kind]) continue;
            failed = static_cast<int>(kind);
            if (!run_in(trial[kind], static_cast<int>(kind), program, inputs, donated, outputs, fresh, donors))
                return std::nullopt;
        }
        memories = std::move(trial);
        buffers += static_cast<int>(outputs.size());
        ++issued;
        flights.push_back(record);
        for (adopted_record& own : adopted)
            if (std::count(inputs.begin(), inputs.end(), own.buffer) != 0) own.until = issued;
        catch_up();
        return fresh;
    }
    void retire(int run) {
        if (run <= reached) return;
        reached = run;
        std::erase_if(flights, [&](const run_record& flight) { return flight.number <= run; });
        for (plain_memory& memory : memories) {
            memory.retire(run);
            for (plain_block& block : memory.blocks) block.late = block.late && block.until > run;
            memory.release(run);
        }
        release_adopted();
    }
    void adopt() { adopted.push_back({buffers++}); }

private:
    bool run_in(plain_memory& memory, int kind, int program, const std::vector<int>& inputs,
                const std::vector<int>& donated, const std::vector<plain_part>& outputs, const std::vector<int>& fresh,
                std::vector<int>& donors) const {
        const bool has_code = std::any_of(memory.blocks.begin(), memory.blocks.end(),
                                          [&](const plain_block& block) { return block.program == program; });
        if (!has_code && !memory.after_few_waits([&](plain_memory& later) { return later.place(1, -1, program); }))
            return false;
        std::vector<bool> taken(donated.size());
        for (std::size_t at = 0; at < outputs.size(); ++at)
            for (std::size_t donor = 0; donor < donated.size() && outputs[at].kind == kind && donors[at] < 0; ++donor) {
                const plain_block* block = memory.find(donated[donor]);
                if (block == nullptr || taken[donor] || block->size != outputs[at].size) continue;
                donors[at] = static_cast<int>(donor);
                taken[donor] = true;
            }
        const auto place_outputs = [&](plain_memory& later) {
            for (std::size_t at = 0; at < outputs.size(); ++at)
                if (outputs[at].kind == kind && donors[at] < 0 && !later.place(outputs[at].size, fresh[at]))
                    return false;
            return true;
        };
        if (!memory.after_few_waits(place_outputs)) return false;
        const int number = issued + 1;
        if (runs_in_flight != 0) {
            memory.flights.push_back(number);
            for (plain_block& block : memory.blocks) {
                const auto is_it = [&](int buffer) { return buffer == block.buffer; };
                if (block.program == program || std::any_of(inputs.begin(), inputs.end(), is_it) ||
                    std::any_of(donated.begin(), donated.end(), is_it) ||
                    std::any_of(fresh.begin(), fresh.end(), is_it))
                    block.holds.push_back(number);
            }
        }
        for (std::size_t donor = 0; donor < donated.size(); ++donor)
            if (plain_block* block = memory.find(donated[donor]); block != nullptr && !taken[donor])
                block->freed = true;
        for (std::size_t at = 0; at < outputs.size(); ++at)
            if (outputs[at].kind == kind && donors[at] >= 0)
                memory.find(donated[static_cast<std::size_t>(donors[at])])->buffer = fresh[at];
        if (runs_in_flight == 0) memory.release(number);
        if (runs_in_flight != 0 && static_cast<int>(memory.flights.size()) > runs_in_flight)
            memory.retire(memory.flights[memory.flights.size() - 1 - static_cast<std::size_t>(runs_in_flight)]);
        return true;
    }
    /// A run that is over in one memory is over in all, and so are all before it.
    void catch_up() {
        int over = reached;
        for (const run_record& run : flights)
            for (std::size_t kind = 0; kind < memories.size(); ++kind) {
                const std::vector<int>& flying = memories[kind].flights;
                if (run.uses[kind] && std::count(flying.begin(), flying.end(), run.number) == 0) over = run.number;
            }
        retire(over);
    }
    void release_adopted() {
        std::erase_if(adopted, [&](const adopted_record& own) { return own.freed && own.until <= reached; });
    }
};

}  // namespace hbm::test
