"""Printers for gdb: `source .../hbm_gdb.py`, then `print memory` lists the blocks of a manager, and handles and results
are shown with what they stand for. Handles are looked up in the managers among the variables of the selected frame."""

import os
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hbm_view


class Value:
    """A value of gdb, as hbm_view reads it."""

    def __init__(self, value):
        self.value = value

    def member(self, name):
        return Value(self.value[name])

    def at(self, index):
        return Value((self.value + index).dereference())

    def number(self):
        return int(self.value)

    def text(self):
        return self.value.address.string()


def type_name(value):
    return hbm_view.name_of_type(value.type.strip_typedefs().unqualified().name)


def managers():
    """Yields the managers among the variables of the selected frame and of its file, and the object of a method."""
    try:
        frame = gdb.selected_frame()
        block = frame.block()
    except (gdb.error, RuntimeError):
        return
    while block is not None:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument):
                continue
            try:
                value = symbol.value(frame) if symbol.needs_frame else symbol.value()
                if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                    value = value.referenced_value()
                elif value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR and symbol.name == "this":
                    value = value.dereference()
                if type_name(value).startswith("hbm::manager<"):
                    yield Value(value)
            except gdb.error:
                continue  # optimised away, or not yet alive
        block = block.superblock


class ManagerPrinter:
    def __init__(self, value):
        self.memory = hbm_view.Memory(Value(value))

    def to_string(self):
        return self.memory.summary()

    def children(self):
        for offset, text in self.memory.blocks():
            yield f"[{offset:,}]", text


class HandlePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        is_buffer = "buffer_tag" in type_name(self.value)
        return hbm_view.handle_text(Value(self.value), is_buffer, managers())


class ResultPrinter:
    def __init__(self, value):
        self.good, self.held = hbm_view.result_parts(Value(value))

    def to_string(self):
        return None if self.good else f"failure {hbm_view.name_of_type(str(self.held.member('reason').value))}"

    def children(self):
        yield ("value" if self.good else "why"), self.held.value


def hbm_printer(value):
    name = type_name(value)
    if name.startswith("hbm::manager<"):
        return ManagerPrinter(value)
    if name.startswith("hbm::basic_handle<"):
        return HandlePrinter(value)
    if name.startswith("hbm::basic_result<") and "hbm::failure" in name:
        return ResultPrinter(value)
    return None


gdb.pretty_printers.append(hbm_printer)
