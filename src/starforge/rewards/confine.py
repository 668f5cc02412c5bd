"""Shut a process in, for good: no new processes, no network, no files but its folder's.

For Linux, without any privilege: seccomp refuses system calls and Landlock refuses files. The
process can't undo either. Stand-alone and of the standard library only: it runs in the child
of :mod:`starforge.rewards.sandbox`. See seccomp(2), landlock(7).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_FILTER = 1, 38, 22, 2

# Per machine: its AUDIT_ARCH, clone, clone3, and the system calls that are refused. Those are
# sockets, programs, signals to others, other processes' memory, namespaces and mounts, limits,
# modes and owners (which Landlock lets pass), and io_uring, which goes round all of this.
_X86_64 = (
    0xC000003E, 56, 435,
    (41, 42, 49, 57, 58, 59, 322, 62, 200, 234, 129, 297, 424, 434, 101, 310, 311, 272, 308, 165,
     166, 155, 161, 321, 425, 250, 248, 249, 298, 323, 29, 160, 302, 90, 91, 92, 93, 94, 260, 268,
     452, 188, 189, 190),
)  # fmt: skip
_AARCH64 = (
    0xC00000B7, 220, 435,
    (198, 203, 200, 221, 281, 129, 130, 131, 138, 240, 424, 434, 117, 270, 271, 97, 268, 40, 39,
     41, 51, 280, 425, 219, 217, 218, 241, 282, 194, 164, 261, 52, 53, 54, 55, 452, 5, 6, 7),
)  # fmt: skip
_MACHINES = {"x86_64": _X86_64, "aarch64": _AARCH64}
_X32 = 0x40000000  # the second set of numbers that x86_64 has
_CLONE_THREAD = 0x00010000

_LOAD, _JUMP_EQUAL, _JUMP_GREATER, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000


def die_with_parent(parent: int) -> None:
    """Have the kernel end this process when the one that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 9)
    if os.getppid() != parent:
        os._exit(1)


def forbid_calls() -> bool:
    """Refuse processes, sockets and signals; return whether the system can."""
    machine = _MACHINES.get(platform.machine()) if sys.platform == "linux" else None
    if machine is None or struct.calcsize("P") != 8:
        return False
    program = _filter(*machine)
    code = b"".join(struct.pack("<HBBI", *step) for step in program)
    steps = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("<HxxxxxxQ", len(program), ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_FILTER, header, 0, 0) == 0)


def _filter(
    arch: int, clone: int, clone3: int, refused: tuple[int, ...]
) -> list[tuple[int, int, int, int]]:
    """Return the BPF program: (code, jump if true, jump if false, operand) a step."""
    refuse = _REFUSE | errno.EPERM
    steps = [
        (_LOAD, 0, 0, 4),  # seccomp_data.arch
        (_JUMP_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),  # seccomp_data.nr
        (_JUMP_GREATER, 0, 1, _X32),
        (_RETURN, 0, 0, refuse),
        (_JUMP_EQUAL, 0, 1, clone3),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),  # libc then asks by clone, which can be read
    ]
    for number in refused:
        steps += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, refuse)]
    return [
        *steps,
        (_JUMP_EQUAL, 0, 3, clone),
        (_LOAD, 0, 0, 16),  # its flags
        (_JUMP_SET, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, refuse),
        (_RETURN, 0, 0, _ALLOW),
    ]


_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on all machines
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute (a library), read a file, list a folder
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14  # rights that a file, not a folder, can have
_REFER, _TRUNCATE, _ALL = 1 << 13, 1 << 14, (1 << 13) - 1
_PATH_BENEATH = 1
_READABLE = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/localtime", "/etc/ld.so.cache", "/proc/self",
    "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/dev/urandom", "/dev/random",
    "/dev/zero",
)  # fmt: skip


def forbid_files(folder: Path) -> bool:
    """Let this process write below ``folder`` only, and read Python and it only.

    Returns whether the system can. Files that are open already stay usable.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = int(libc.syscall(_CREATE, None, 0, 1))
    if version < 1:
        return False
    handled = _ALL | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    attributes = struct.pack("<Q", handled)
    ruleset = libc.syscall(_CREATE, attributes, len(attributes), 0)
    if ruleset < 0:
        return False
    try:
        python = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
        for place in (*python, *_READABLE):
            _allow(libc, ruleset, Path(place), _READ)
        _allow(libc, ruleset, Path("/dev/null"), handled & (1 << 1 | 1 << 2 | _TRUNCATE))
        _allow(libc, ruleset, folder, handled)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return bool(libc.syscall(_RESTRICT, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, place: Path, rights: int) -> None:
    try:
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not place.is_dir():
            rights &= _OF_FILES
        rule = struct.pack("<Qi", rights, opened)  # packed: 12 bytes
        libc.syscall(_ADD, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(opened)
