"""Fibers in gdb.

  source runtimes/fiber/gdb/fiber.py
  fiber list            all fibers in use: id, state, worker, name, where they stopped
  fiber bt ID           backtrace of a fiber that does not run now
  fiber bt ID POOL      the same in scheduler POOL, as `fiber list` numbers them

Needs debug information of the library (-g). `fiber bt` borrows the registers of the selected thread and puts them
back, so it needs a process, not a core file.
"""
import contextlib

import gdb

UNUSED, RUNNABLE, PARKED = 0, 1, 2
STATES = {UNUSED: "unused", RUNNABLE: "runnable", PARKED: "parked"}
REGISTERS = {"i386:x86-64": ("$rsp", "$rbp", "$rip"), "aarch64": ("$sp", "$x29", "$pc")}


def pools():
    """The stack pools of all schedulers, oldest last."""
    # Not by an expression: gdb 13 looks nested namespaces up only in units that it has read already.
    symbol = gdb.lookup_global_symbol("fiber::detail::all_pools")
    if symbol is None:
        raise gdb.GdbError("no fibers here: is the program built with -g, and does it use bb::fiber?")
    pool = symbol.value()
    while int(pool):
        yield pool.dereference()
        pool = pool["next_pool_"]


def blocks(pool):
    """The control blocks of a pool that are in use."""
    for index in range(int(pool["made_"])):
        block = pool["blocks_"][index]
        if int(block["state"]) != UNUSED:
            yield block


def running():
    """Addresses of the control blocks that a thread runs at this moment, with the thread's number."""
    found, selected = {}, gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        with contextlib.suppress(gdb.error):
            worker = gdb.parse_and_eval("bb_fiber_this_worker")
            if int(worker) and int(worker["running_"]):
                found[int(worker["running_"])] = thread.num
    if selected is not None:
        selected.switch()
    return found


def saved(block):
    """Stack pointer, frame pointer and program counter at the last switch away from a fiber."""
    fields = [field.name for field in block["ctx"].type.fields()]
    if fields[:1] != ["sp"]:
        raise gdb.GdbError("this build switches by Boost.Context, whose saved registers are not known here")
    return [int(block["ctx"][name]) for name in fields]


class FiberCommand(gdb.Command):
    """Fibers of bb::fiber: `fiber list`, `fiber bt ID`."""

    def __init__(self):
        super().__init__("fiber", gdb.COMMAND_STACK, prefix=True)


class FiberList(gdb.Command):
    """List all fibers in use."""

    def __init__(self):
        super().__init__("fiber list", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        now = running()
        for number, pool in enumerate(pools()):
            print(f"scheduler {number}: {int(pool['made_'])} stacks of {int(pool['geometry_']['stack_bytes'])} bytes")
            for block in blocks(pool):
                thread = now.get(int(block.address))
                state = f"running in thread {thread}" if thread else STATES[int(block["state"])]
                name = block["name"].string() if int(block["name"]) else "-"
                where = "" if thread else f"  at {gdb.parse_and_eval(f'(void*){saved(block)[2]}')}"
                print(f"  fiber {int(block['id'])}  {state}  worker {int(block['home']['index_'])}  {name}{where}")


class FiberBacktrace(gdb.Command):
    """Backtrace of a fiber that does not run now: fiber bt ID [POOL]."""

    def __init__(self):
        super().__init__("fiber bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) not in (1, 2) or not all(word.isdigit() for word in words):
            raise gdb.GdbError("usage: fiber bt ID [POOL], with numbers as `fiber list` shows them")
        all_pools = list(pools())
        if len(words) == 2 and int(words[1]) >= len(all_pools):
            raise gdb.GdbError(f"there is no scheduler {words[1]}")
        pool = all_pools[int(words[1]) if len(words) == 2 else 0]
        block = next((each for each in blocks(pool) if int(each["id"]) == int(words[0])), None)
        if block is None:
            raise gdb.GdbError(f"there is no fiber {words[0]}")
        thread = running().get(int(block.address))
        if thread:
            raise gdb.GdbError(f"fiber {words[0]} runs in thread {thread}: `thread apply {thread} bt`")
        self.backtrace(saved(block))

    @staticmethod
    def backtrace(values):
        names = REGISTERS.get(gdb.selected_frame().architecture().name())
        if names is None:
            raise gdb.GdbError("only x86-64 and aarch64 are known here")
        gdb.execute("frame 0", to_string=True)
        before = [int(gdb.parse_and_eval(f"(unsigned long){name}")) for name in names]
        try:
            for name, value in zip(names, values):
                gdb.execute(f"set {name} = {value}", to_string=True)
            gdb.execute("bt")
        finally:
            for name, value in zip(names, before):
                gdb.execute(f"set {name} = {value}", to_string=True)


FiberCommand()
FiberList()
FiberBacktrace()
