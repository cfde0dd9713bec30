"""Looks at the machine code of one fork: two stores, two compares, no call but the branches, nothing locked.

    heartbeat_fork.py PROGRAM

The way of a fork in x86-64 code runs from the address of the right branch, which is about to be stored, past
the call of the left branch to the check of the join. On it stands no other call and nothing with a lock."""
import re
import subprocess
import sys


def function(program, name):
    """[(mnemonic, operands)] of the function, without its cold part."""
    text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", "-M", "intel", program],
                          check=True, capture_output=True, text=True).stdout
    body = re.search(rf"^[0-9a-f]+ <{name}\([^\n]*\)>:\n((?:.+\n)+)", text, re.M)[1]
    lines = [re.sub(r"^\s*[0-9a-f]+:\s*", "", line) for line in body.splitlines()]
    return [(line.split(None, 1) + [""])[:2] for line in lines if line]


def way_of_a_fork(code):
    """From the address of the right branch to the first branch after the compare of the join."""
    first = next(i for i, (_, operands) in enumerate(code) if "run_branch" in operands)
    while first > 0 and re.match(r"mov|lea|and", code[first - 1][0]):
        first -= 1  # g++ stores the argument first
    call = next(i for i, (op, operands) in enumerate(code) if i > first and op == "call" and "tree_sum" in operands)
    compare = next(i for i, (op, _) in enumerate(code) if i > call and op == "cmp")
    return code[first:compare + 2], call - first


def complaints(way, call):
    before, after = way[:call], way[call + 1:]
    for op, operands in before + after:
        if op == "call":
            yield f"another call on the way of a fork: {op} {operands}"
        if op.startswith(("lock", "xchg", "mfence")):
            yield f"a locked instruction on the way of a fork: {op} {operands}"
    stores = [o for op, o in before if op == "mov" and re.match(r"QWORD PTR \[(?!rsp)", o)]
    if len(stores) != 2:
        yield f"{len(stores)} stores before the left branch, not 2: {stores}"
    if sum(op == "cmp" for op, _ in before) != 1:
        yield "not one compare before the left branch"
    if not after[-1][0].startswith("j"):
        yield f"no branch after the compare of the join: {after[-1]}"
    if len(way) > 24:
        yield f"{len(way)} instructions, 24 are the most"


def main():
    way, call = way_of_a_fork(function(sys.argv[1], "tree_sum"))
    found = list(complaints(way, call))
    for op, operands in way if found else []:
        print(f"    {op:8}{operands}")
    for complaint in found:
        print(complaint)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
