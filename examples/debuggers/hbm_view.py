"""Texts of managers, handles and results, for the printers of gdb and lldb, which pass values with four operations:
`member(name)`, also of a base class, `at(index)` of a pointer, `number()`, and `text()` of a zero-terminated string."""

import re

# Constants of hbm/blocks/block_map.hpp.
STRIDE = 8
BOTTOM = 8
FAR_HOLE = 16
KINDS = ["free", "buffer", "code of program", "scratch of program", "reserved scratch", "freed buffer"]
NO_INDEX = 0xffffffff


def counted(count, noun):
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def name_of_type(name):
    """Returns the name of a type without the inline namespace of the version."""
    return re.sub(r"\bhbm::v\d+::", "hbm::", name or "")


class Memory:
    """The memory of a manager."""

    def __init__(self, manager):
        self.state = manager.member("state_")
        self.names = manager.member("names_").member("shared_")
        self.map = self.state.member("blocks").member("map_")
        self.nodes = self.map.member("nodes_").member("data_")
        self.node_count = self.map.member("nodes_").member("size_").number()
        self.programs = self.state.member("programs")
        self.shift = self.state.member("quantum_shift").number()
        self.salt = self.state.member("salt").number()

    def bytes(self, quanta):
        return quanta.number() << self.shift

    def name(self, tag):
        """Returns the name of a tag in quotes, after a blank; empty without a name."""
        if tag == 0 or self.names.number() == 0 or tag > self.names.member("starts").member("size_").number():
            return ""
        start = self.names.member("starts").member("data_").at(tag - 1).number()
        return f" '{self.names.member('text').member('data_').at(start).text()}'"

    def program_name(self, slot):
        if slot >= self.programs.member("size_").number():
            return ""
        return self.name(self.programs.member("data_").at(slot).member("label").number())

    def node(self, block):
        return self.nodes.at(block // STRIDE)

    def block_text(self, node):
        bits, live = node.member("bits").number(), node.member("state").number() & 1
        kind, owner = bits & 7 if live else 0, node.member("right").number()
        name = {1: self.name, 2: self.program_name, 3: self.program_name, 5: self.name}.get(kind, lambda _: "")(owner)
        text = f"{self.bytes(node.member('size')):,} bytes {KINDS[kind]}{name}"
        if live and bits >> 20:
            text += f", {counted(bits >> 20, 'pin')}"
        if live and bits >> 10 & 1023:
            text += f", held by {counted(bits >> 10 & 1023, 'run')} in flight"
        return text

    def blocks(self):
        """Yields the offset in bytes and the text of each block and hole, in address order."""
        block = self.node(BOTTOM).member("next").number()
        for _ in range(self.node_count):  # in memory that is damaged the ring may not end
            if block == BOTTOM:
                return
            node = self.node(block)
            if block != FAR_HOLE or node.member("size").number() != 0:
                yield self.bytes(node.member("offset")), self.block_text(node)
            block = node.member("next").number()

    def summary(self):
        capacity, occupied = self.map.member("capacity_"), self.map.member("occupied_")
        free = self.bytes(capacity) - self.bytes(occupied)
        blocks = counted(self.map.member("live_blocks_").number(), "block")
        return f"hbm::manager of {self.bytes(capacity):,} bytes, {free:,} free, {blocks}"

    def buffer_text(self, index, generation):
        stale = f"stale buffer (number {index // STRIDE}, generation {generation})"
        if index % STRIDE != 0 or index // STRIDE >= self.node_count:
            return stale
        node = self.node(index)
        if node.member("state").number() & ~2 != generation or generation & 1 == 0:
            return stale
        return f"offset {self.bytes(node.member('offset')):,}: {self.block_text(node)}"

    def program_text(self, slot, generation):
        stale = f"stale program (number {slot}, generation {generation})"
        if slot >= self.programs.member("size_").number():
            return stale
        record = self.programs.member("data_").at(slot)
        if record.member("generation").number() != generation or generation % 2 == 0:
            return stale
        text = f"program{self.name(record.member('label').number())}, {record.member('code').number():,} bytes of code"
        if not record.member("resident").number():
            return text + ", evicted"
        block = record.member("code_block").number()
        return text if block == NO_INDEX else f"{text} at offset {self.bytes(self.node(block).member('offset')):,}"


def handle_text(handle, is_buffer, managers):
    """Returns a handle as text; `managers` are those that are known, one of which may have the handle's salt."""
    index, generation, salt = (handle.member(name).number() for name in ("index", "generation", "salt"))
    kind = "buffer" if is_buffer else "program"
    if index == NO_INDEX:
        return f"no {kind}"
    for manager in managers:
        memory = Memory(manager)
        if memory.salt == salt:
            return memory.buffer_text(index, generation) if is_buffer else memory.program_text(index, generation)
    return f"{kind} number {index // STRIDE if is_buffer else index}, generation {generation}"


def result_parts(result):
    """Returns true and the value of a result, or false and its failure."""
    held = result.member("held_")
    good = held.member("good").number() != 0
    return good, held.member("value" if good else "why")
