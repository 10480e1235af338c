"""One process of `dcopt serve`, and frames to and from it: docs/protocol.md."""

from __future__ import annotations

import atexit
import functools
import itertools
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import Any, Callable

import numpy as np

from ._errors import DcoptError, Places, WorkerError, from_reply

try:  # those of the module signal turn numbers into names at each call: a tenth of a small request
    from _signal import getsignal as _getsignal, signal as _setsignal  # type: ignore[import-not-found]
except ImportError:
    from signal import getsignal as _getsignal, signal as _setsignal

_MAGIC = b"DCO\x01"
_PRELUDE = struct.Struct("<4sIQ")
_KINDS = {"f64": np.dtype("<f8"), "i64": np.dtype("<i8"), "i32": np.dtype("<i4"), "u8": np.dtype("u1")}
_F64 = _KINDS["f64"]
_CODES = {v: k for k, v in _KINDS.items()}
_SIGINT = int(signal.SIGINT)

# json.dumps and json.loads with arguments make an encoder anew at each call; decode of a decoder looks for
# what is behind the object, where a header has blanks.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_decode = json.JSONDecoder().scan_once

# The replies of small problems fit a buffer of so many bytes, which is read at once.
_ROOM = 1 << 16
# So many handles at most are freed before a request: their replies wait in the pipe until the request is sent.
_FREED_AT_ONCE = 64

# A worker that was asked to cancel has this long to return the best point, in seconds. The
# program promises half a second; a machine may be busy.
PATIENCE = 30.0


def program() -> str:
    """The path of the program: DCOPT_PROGRAM, the one in the wheel, or one on the PATH."""
    name = "dcopt.exe" if sys.platform == "win32" else "dcopt"
    given = os.environ.get("DCOPT_PROGRAM")
    if given:
        return given
    own = Path(__file__).parent / "_program" / name
    if own.exists():
        return str(own)
    found = shutil.which("dcopt")
    if found:
        return found
    raise WorkerError(
        f"there is no program for this platform ({sys.platform}) in the package",
        "internal", "Install a wheel for this platform, build one with Go, or set DCOPT_PROGRAM to the path of the program dcopt.",
    )


class Buffers:
    """The buffers of a frame that is being written. add returns the number of an array."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []

    def add(self, values: Any, kind: str = "f64") -> int:
        a = np.asarray(values, dtype=_KINDS[kind])
        if a.ndim != 1:
            a = a.reshape(-1, order="F")
        self.arrays.append(a if a.flags.c_contiguous else np.ascontiguousarray(a))
        return len(self.arrays) - 1


class Text:
    """The header of a request as text, but for its id and end: for requests that are sent again with other numbers."""

    def __init__(self, header: dict[str, Any], buffers: Buffers | None = None) -> None:
        arrays = buffers.arrays if buffers else []
        if arrays:
            header = dict(header, buffers=[[_CODES[a.dtype], a.size] for a in arrays])
        self.kind: str = header["type"]
        self.text = _encode(header)[:-1].encode("utf-8")
        self.size = sum(a.nbytes + -a.nbytes % 8 for a in arrays)

    def frame(self, ident: int) -> bytes:
        """The prelude and the header with an id."""
        text = b'%b,"id":%d}' % (self.text, ident)
        blanks = -len(text) % 8
        return _PRELUDE.pack(_MAGIC, len(text) + blanks, self.size) + text + b" " * blanks


class Reply:
    """A frame that was read."""

    def __init__(self, header: dict[str, Any], buffers: list[np.ndarray]) -> None:
        self.header, self.buffers = header, buffers

    def __getitem__(self, name: str) -> Any:
        return self.header[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.header.get(name, default)

    def array(self, name: str) -> np.ndarray | None:
        """The buffer that the member names, or None."""
        k = self.header.get(name)
        return None if k is None else self.buffers[k]

    def text(self, name: str = "text") -> str:
        a = self.array(name)
        return "" if a is None else bytes(a).decode("utf-8")


class Input:
    """What comes from a process: read as it arrives, taken in parts."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._room = bytearray(_ROOM)  # [_taken, _filled) has been read and not taken
        self._view = memoryview(self._room)
        self._taken = self._filled = 0
        self.answered = False  # a frame has come

    def _fill(self, n: int) -> None:
        """Reads until n bytes wait, at most those of the room."""
        waiting = self._filled - self._taken
        if self._taken + n > _ROOM or not waiting:
            self._room[:waiting] = self._room[self._taken:self._filled]
            self._taken, self._filled = 0, waiting
        while self._filled - self._taken < n:
            got = self._stream.readinto(self._view[self._filled:] if self._filled else self._room)
            if not got:
                raise EOFError
            self._filled += got

    def _take(self, n: int) -> bytearray:
        """The next n bytes, as memory of their own."""
        waiting = self._filled - self._taken
        if n <= _ROOM:
            if waiting < n:
                self._fill(n)
            out = self._room[self._taken:self._taken + n]
            self._taken += n
            return out
        out = bytearray(n)
        view = memoryview(out)
        view[:waiting] = self._view[self._taken:self._filled]
        self._taken = self._filled = 0
        while waiting < n:
            got = self._stream.readinto(view[waiting:])
            if not got:
                raise EOFError
            waiting += got
        return out

    def frame(self) -> Reply:
        if self._filled - self._taken < _PRELUDE.size:
            self._fill(_PRELUDE.size)
        magic, length, size = _PRELUDE.unpack_from(self._room, self._taken)
        self._taken += _PRELUDE.size
        if magic != _MAGIC:
            raise WorkerError("the program does not speak version 1 of the protocol", "version",
                              "DCOPT_PROGRAM or the PATH has another program; install the package again.")
        frame = self._take(length + size)
        header = _decode(frame[:length].decode("utf-8"), 0)[0]
        arrays, buffers = [], header.get("buffers") or ()
        if size:
            whole = np.frombuffer(frame, _F64, -1, length)  # a view of it takes a quarter of the time of another one
        at = 0
        for kind, count in buffers:
            if kind == "f64" and count:
                arrays.append(whole[at:at + count])
                at += count
                continue
            dtype = _KINDS[kind]
            arrays.append(np.frombuffer(frame, dtype, count, length + 8 * at) if count else np.empty(0, dtype))
            at += (count * dtype.itemsize + 7) // 8
        self.answered = True
        return Reply(header, arrays)


class Held:
    """What a process of a worker holds under a handle, a "problem" or "model": freed with the last reference, before the
    next request. Nothing is sent at that moment, which may be in the middle of a frame: Python ends objects where it likes."""

    def __init__(self, worker: Worker, generation: int, what: str) -> None:
        self.worker, self.generation, self.what = worker, generation, what
        self.handle = next(worker._handles)

    def here(self, worker: Worker) -> bool:
        """Whether the process that runs holds it."""
        return self.worker is worker and self.generation == worker.generation

    def __del__(self) -> None:
        self.worker._unused.append(self)


def _close(p: subprocess.Popen[bytes]) -> None:
    """Closes the pipes of a process."""
    for f in (p.stdin, p.stdout):
        try:
            if f is not None:
                f.close()
        except OSError:
            pass


class Worker:
    """A process that answers requests, one at a time. It is for one process of Python, which
    `worker` sees to; threads take turns."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        # Taken by each request, by who starts the process, and by who sends requests that belong together: no other thread
        # starts another process between them.
        self.turn = threading.RLock()
        self._write_lock = threading.Lock()
        self._ids = itertools.count(1)
        self._handles = itertools.count(1)
        self._unused: deque[Held] = deque()
        self._process: subprocess.Popen[bytes] | None = None
        self._input: Input | None = None  # of the process
        self._interrupted = False
        # What is loaded ends with the process: users of handles compare this number.
        self.generation = 0

    # The process

    def _start(self) -> subprocess.Popen[bytes]:
        with self.turn:
            p = self._process
            if p is not None and p.poll() is None:
                return p
            if p is not None:  # it has ended
                _close(p)
            self.generation += 1
            kwargs: dict[str, Any] = {}
            if sys.platform == "win32":
                kwargs["creationflags"] = subprocess.CREATE_NO_WINDOW  # type: ignore[attr-defined]
            try:
                self._process = subprocess.Popen(
                    [program(), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **kwargs)
                self._input = Input(self._process.stdout)
            except OSError as e:
                raise WorkerError(f"the program could not be started: {e}", "internal",
                                  "Set DCOPT_PROGRAM to the path of a working program dcopt.") from e
            return self._process

    def close(self) -> None:
        """Ends the process; the next request starts another."""
        p, self._process = self._process, None
        if p is None:
            return
        _close(p)
        if self.pid != os.getpid():
            return  # the process is the parent's, which waits for it
        try:
            p.wait(1)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()

    def hold(self, what: str) -> Held:
        """A handle that is not in use, for a "problem" or "model"."""
        self._start()
        return Held(self, self.generation, what)

    # Frames

    def _send(self, p: subprocess.Popen[bytes], head: bytes, buffers: Buffers | None = None) -> None:
        parts: list[Any] = [head]
        size = 0
        for a in buffers.arrays if buffers else ():
            size += a.nbytes
            if a.nbytes:
                parts.append(a if size < _ROOM else memoryview(a).cast("B"))
                if a.nbytes % 8:
                    parts.append(b"\0" * (-a.nbytes % 8))
        if size < _ROOM and len(parts) > 1:
            parts = [b"".join(parts)]
        assert p.stdin is not None
        with self._write_lock:
            for part in parts:
                n = p.stdin.write(part)
                if n < len(part):
                    view = memoryview(part)[n:]
                    while len(view):
                        view = view[p.stdin.write(view):]

    def _freed(self) -> bytes:
        """Frames that free what nobody refers to any longer."""
        out = b""
        for _ in range(min(len(self._unused), _FREED_AT_ONCE)):
            held = self._unused.popleft()
            if held.here(self):
                out += Text({"type": "free", held.what: held.handle}).frame(next(self._ids))
        return out

    def request(self, header: dict[str, Any] | Text, buffers: Buffers | None = None,
                progress: Callable[[Reply], None] | None = None, names: Places | None = None,
                started: subprocess.Popen[bytes] | None = None, held: Held | None = None) -> Reply:
        """Sends a request, without an id, and waits for its reply. KeyboardInterrupt cancels it: a solve or
        a fit then returns the best so far, as the reply. started is what _start has just returned, where
        the caller has asked; held is what the request refers to.

        Raises: DcoptError of the reply; WorkerError where the process ended."""
        with self.turn:
            p = started if started is not None and started is self._process else self._start()
            if held is not None and not held.here(self):
                raise WorkerError("the worker ended, and what the request is about with it", "internal", "The next solve starts another one.")
            ident = next(self._ids)
            if not isinstance(header, Text):
                header = Text(header if progress is None else dict(header, progress=True), buffers)
            head = header.frame(ident)
            if self._unused:
                head = self._freed() + head
            self._interrupted = False
            try:
                self._send(p, head, buffers)
                reply = self._wait(p, ident, progress)
            except TimeoutError:  # of a handler of SIGALRM, and no error of a pipe, although it is an OSError
                self.close()
                raise
            except (EOFError, BrokenPipeError, ConnectionError, ValueError, OSError) as e:
                if isinstance(e, ValueError) and not isinstance(e, json.JSONDecodeError) and p.poll() is None and p.stdin and not p.stdin.closed:
                    raise
                answered = self._input is not None and self._input.answered
                self.close()
                if self._interrupted:  # twice, or the worker did not end in time
                    raise KeyboardInterrupt from e
                code = p.returncode
                raise WorkerError(f"the worker ended during {header.kind}" + (f" (code {code})" if code is not None else ""),
                                  "internal", "The next solve starts another one." if answered else
                                  f"It has answered nothing: {' '.join(map(str, p.args))} is not dcopt, or does not run on this machine.") from e
            except KeyboardInterrupt:
                self.close()  # in the middle of a frame: the place is lost
                raise
            interrupted = self._interrupted
        if reply["type"] == "error":
            if interrupted:
                raise KeyboardInterrupt
            raise from_reply(reply.header, names)
        return reply

    def _wait(self, p: subprocess.Popen[bytes], ident: int, progress: Callable[[Reply], None] | None) -> Reply:
        """Reads until the reply. An interrupt does not tear a frame: where Ctrl-C means
        KeyboardInterrupt, a handler of its own asks the worker to cancel; where it means
        something else, or reading cannot be interrupted by signals, a thread reads."""
        if threading.current_thread() is not threading.main_thread():
            return self._replies(p, ident, progress)
        if sys.platform == "win32" or _getsignal(_SIGINT) is not signal.default_int_handler:
            return self._wait_for_thread(p, ident, progress)
        timers: list[threading.Timer] = []

        def interrupt(number: int, frame: Any) -> None:
            if self._interrupted:  # once more: do not wait for the best point
                p.kill()
                return
            self._interrupted = True
            timers.append(threading.Timer(PATIENCE, p.kill))
            timers[0].start()
            self._cancel(p, ident)

        _setsignal(_SIGINT, interrupt)
        try:
            return self._replies(p, ident, progress)
        finally:
            _setsignal(_SIGINT, signal.default_int_handler)
            for t in timers:
                t.cancel()

    def _cancel(self, p: subprocess.Popen[bytes], ident: int) -> None:
        try:
            self._send(p, Text({"type": "cancel", "target": ident}).frame(next(self._ids)))
        except OSError:
            pass  # it has ended, which reading says

    def _wait_for_thread(self, p: subprocess.Popen[bytes], ident: int, progress: Callable[[Reply], None] | None) -> Reply:
        box: list[Any] = []
        done = threading.Event()

        def read() -> None:
            try:
                box.append(self._replies(p, ident, progress))
            except BaseException as e:  # handed over to the thread that waits
                box.append(e)
            done.set()

        threading.Thread(target=read, daemon=True).start()
        try:
            done.wait()
        except KeyboardInterrupt:
            self._interrupted = True
            self._cancel(p, ident)
            if not done.wait(PATIENCE):
                p.kill()
                raise
        except BaseException:  # of another signal handler: nobody takes the reply
            p.kill()
            done.wait()
            raise
        if isinstance(box[0], BaseException):
            raise box[0]
        return box[0]

    def _replies(self, p: subprocess.Popen[bytes], ident: int, progress: Callable[[Reply], None] | None) -> Reply:
        source = self._input
        assert source is not None
        while True:
            try:
                reply = source.frame()
            except (EOFError, WorkerError):
                raise
            except BaseException:  # an exception of a signal handler: the place of the next frame is lost
                p.kill()
                raise
            if reply["type"] == "error" and reply.get("id") == 0:
                raise from_reply(reply.header)
            if reply.get("id") != ident:
                continue  # of a cancel, of what was freed, or of a request that was given up
            if reply["type"] == "progress":
                if progress is not None:
                    try:
                        progress(reply)
                    except BaseException:  # of the user's function: nobody takes the reply
                        self._cancel(p, ident)
                        raise
                continue
            return reply


_current: Worker | None = None
_current_lock = threading.Lock()


def worker() -> Worker:
    """The worker of this process. After a fork the child has one of its own."""
    global _current, _current_lock
    w = _current
    if w is None or w.pid != os.getpid():
        if w is not None:  # a lock that the parent held at the fork is never released here
            _current_lock = threading.Lock()
            w.close()
        with _current_lock:
            if _current is None or _current.pid != os.getpid():
                _current = Worker()
                atexit.register(_current.close)
    assert _current is not None
    return _current


@functools.cache
def operations() -> tuple[str, ...]:
    """The names of the operations that the program has."""
    return tuple(worker().request({"type": "hello"})["ops"])


__all__ = ["Buffers", "DcoptError", "Held", "Reply", "Text", "Worker", "operations", "program", "worker"]
