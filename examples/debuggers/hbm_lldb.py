"""Summaries for lldb: `command script import .../hbm_lldb.py`, then `frame variable` lists the blocks of a manager, and
handles and results are shown with what they stand for. Handles are looked up in the managers of the frame."""

import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hbm_view


class Value:
    """A value of lldb, as hbm_view reads it."""

    def __init__(self, value):
        self.value = value.GetNonSyntheticValue()

    def member(self, name):
        return Value(self.value.GetChildMemberWithName(name))

    def at(self, index):
        kind = self.value.GetType().GetPointeeType()
        address = self.value.GetValueAsUnsigned() + index * kind.GetByteSize()
        return Value(self.value.CreateValueFromAddress("item", address, kind))

    def number(self):
        return self.value.GetValueAsUnsigned()

    def text(self):
        return self.value.GetProcess().ReadCStringFromMemory(self.value.GetLoadAddress(), 4096, lldb.SBError())


def managers(frame):
    """Yields the managers among the variables of a frame, through references too."""
    for value in frame.GetVariables(True, True, True, True):
        kind = value.GetType().GetCanonicalType()
        value = value.Dereference() if kind.IsReferenceType() else value
        name = value.GetType().GetCanonicalType().GetUnqualifiedType().GetName()
        if hbm_view.name_of_type(name).startswith("hbm::manager<"):
            yield Value(value)


def manager_summary(value, _):
    memory = hbm_view.Memory(Value(value))
    return "\n".join([memory.summary()] + [f"  [{offset:,}] {text}" for offset, text in memory.blocks()])


def handle_summary(value, _):
    is_buffer = "buffer_tag" in value.GetType().GetCanonicalType().GetName()
    frame = value.GetTarget().GetProcess().GetSelectedThread().GetSelectedFrame()
    return hbm_view.handle_text(Value(value), is_buffer, managers(frame))


def result_summary(value, _):
    good, held = hbm_view.result_parts(Value(value))
    if not good:
        return f"failure {held.member('reason').value.GetValue()}"
    return f"value {held.value.GetSummary() or held.value.GetValue() or ''}".rstrip()


def __lldb_init_module(debugger, _):
    for pattern, name in (("manager<.*>", "manager"), ("basic_handle<.*>", "handle"), ("basic_result<.*>", "result")):
        debugger.HandleCommand(f'type summary add -x "^hbm::(v[0-9]+::)?{pattern}$" -F hbm_lldb.{name}_summary')
