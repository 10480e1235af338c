"""One process of `dcopt serve`, and frames to and from it: docs/protocol.md."""

from __future__ import annotations

import atexit
import contextvars
import functools
import itertools
import json
import numbers
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any, Callable, NoReturn, TypeVar

import numpy as np

from ._errors import DcoptError, Places, WorkerError, from_reply

try:  # those of the module signal turn numbers into names at each call: a tenth of a small request
    from _signal import getsignal as _getsignal, signal as _setsignal  # type: ignore[import-not-found]
except ImportError:
    from signal import getsignal as _getsignal, signal as _setsignal

_T = TypeVar("_T")
_MAGIC = b"DCO\x01"
_PRELUDE = struct.Struct("<4sIQ")
_KINDS: dict[str, np.dtype[Any]] = {"f64": np.dtype("<f8"), "i64": np.dtype("<i8"), "i32": np.dtype("<i4"), "u8": np.dtype("u1")}
_F64 = _KINDS["f64"]
_CODES = {v: k for k, v in _KINDS.items()}
_SIGINT = int(signal.SIGINT)

# json.dumps and json.loads with arguments make an encoder anew at each call; decode of a decoder looks for
# what is behind the object, where a header has blanks.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_decode: Callable[[str, int], tuple[Any, int]] = getattr(json.JSONDecoder(), "scan_once")

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


class Call:
    """A request whose reply is awaited."""

    def __init__(self, ident: int) -> None:
        self.ident = ident
        self.frames: deque[Reply] = deque()  # that another thread has read
        self.sent = self.interrupted = self.closed = False
        self.raised: BaseException | None = None  # by the user's function


class Link:
    """A process, and the calls to it. Of the threads that wait for replies one reads for all."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.answered = False  # a frame has come
        self._input = Input(process.stdout)
        self._write = threading.Lock()
        self._calls: dict[int, Call] = {}
        self._arrived = threading.Condition(threading.Lock())
        self._reading = False  # a thread does
        self.ended = False  # nothing more comes

    def send(self, head: bytes, buffers: Buffers | None = None) -> None:
        """Writes a frame."""
        parts: list[Any] = [head]
        size = 0
        for a in buffers.arrays if buffers else ():
            size += a.nbytes
            if a.nbytes:
                parts.append(a if size < _ROOM else a.data.cast("B"))
                if a.nbytes % 8:
                    parts.append(b"\0" * (-a.nbytes % 8))
        if size < _ROOM and len(parts) > 1:
            parts = [b"".join(parts)]
        pipe = self.process.stdin
        assert pipe is not None
        with self._write:
            for part in parts:
                n = pipe.write(part)
                if n < len(part):
                    view = memoryview(part)[n:]
                    while len(view):
                        view = view[pipe.write(view):]

    def cancel(self, ident: int) -> None:
        """Asks for the end of a request."""
        try:
            self.send(Text({"type": "cancel", "target": ident}).frame(next(_IDS)))
        except (OSError, ValueError):
            pass  # the process has ended, which reading says

    def open(self, call: Call) -> None:
        """Keeps the frames of a call for it."""
        self._calls[call.ident] = call

    def close(self, call: Call) -> None:
        """Drops them."""
        self._calls.pop(call.ident, None)
        call.closed = True

    def next(self, call: Call) -> Reply:
        """The next frame of a call. Raises: EOFError where none can come; what a signal handler raises, which ends the process: the place of the next
        frame is lost."""
        with self._arrived:
            while not call.frames:
                if self.ended or call.closed:
                    raise EOFError
                if not self._reading:
                    self._reading = True
                    break
                self._arrived.wait()
            else:
                return call.frames.popleft()
        try:
            while True:
                reply = self._input.frame()
                self.answered = True
                ident = reply.get("id")
                if ident == call.ident:
                    return reply
                if ident == 0 and reply["type"] == "error":
                    raise from_reply(reply.header)
                other = self._calls.get(ident)
                if other is not None:  # else: of a cancel, of what was freed, or of a request that was given up
                    with self._arrived:
                        other.frames.append(reply)
                        self._arrived.notify_all()
        except BaseException as e:
            self.ended = True
            if not isinstance(e, (EOFError, OSError, ValueError, DcoptError)):
                self.process.kill()
            raise
        finally:
            with self._arrived:
                self._reading = False
                if self.ended:
                    _close(self.process.stdout)
                self._arrived.notify_all()

    def end(self) -> None:
        """Ends the process. A pipe is closed where no thread reads or writes it: the system gives its number to another pipe at once."""
        p = self.process
        if not self._write.acquire(timeout=1):  # a frame is being written that the process does not read
            p.kill()
            self._write.acquire()
        try:
            _close(p.stdin)
        finally:
            self._write.release()
        try:
            p.wait(1)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
        with self._arrived:
            self.ended = True
            if not self._reading:
                _close(p.stdout)
            self._arrived.notify_all()

    def leave(self) -> None:
        """Closes what the child of a fork has of the pipes. The process is the parent's; a thread that is not here may hold the locks."""
        self.ended = True
        _close(self.process.stdin)
        _close(self.process.stdout)


def _close(pipe: Any) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        pass


class Stop:
    """Ends the requests that are sent in its context: `with stop:`, and from another thread `stop.ask()`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.asked = False
        self._under_way: set[tuple[Link, int]] = set()
        self._token: Any = None

    def __enter__(self) -> Stop:
        self._token = _STOP.set(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _STOP.reset(self._token)

    def begin(self, link: Link, ident: int) -> None:
        """A request was sent."""
        with self._lock:
            self._under_way.add((link, ident))
            asked = self.asked
        if asked:
            link.cancel(ident)

    def done(self, link: Link, ident: int) -> None:
        """Its reply has come."""
        with self._lock:
            self._under_way.discard((link, ident))

    def ask(self) -> None:
        """Cancels what is under way, and what is sent from now on."""
        with self._lock:
            self.asked, under_way = True, list(self._under_way)
        for link, ident in under_way:
            link.cancel(ident)


def in_time(limit: float | None, make: Callable[[], _T]) -> _T:
    """What make gives: a translation, whose time counts towards the limit in seconds.

    Raises: DcoptError where the limit passes before, or is none."""
    if limit is None:
        return make()
    if not isinstance(limit, numbers.Real) or not limit > 0:
        raise DcoptError(f"the setting time_limit is {limit!r}, want a number of seconds > 0", "request")
    outer = _STOP.get()
    stop = outer or Stop()
    timer = threading.Timer(limit, stop.ask)
    timer.daemon = True
    timer.start()
    try:
        if outer is not None:
            return make()
        with stop:
            return make()
    except DcoptError as e:
        if not stop.asked:
            raise
        raise DcoptError("the time limit passed before there was a point", "cancelled", "Raise time_limit.") from e
    finally:
        timer.cancel()


def left(limit: float, begin: float) -> float:
    """What is left of a limit that counts from begin: more than nothing."""
    return max(limit - (time.perf_counter() - begin), 1e-6)


def go_on() -> None:
    """Raises DcoptError where the request that is being prepared has been stopped."""
    stop = _STOP.get()
    if stop is not None and stop.asked:
        raise DcoptError("stopped before there was a point", "cancelled")


_IDS = itertools.count(1)
_STOP: contextvars.ContextVar[Stop | None] = contextvars.ContextVar("dcopt stop", default=None)


class Turn:
    """The turn of threads at something that a worker holds. After a fork the child has another lock: a thread that is not there may hold the first."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._lock = threading.RLock()

    def __call__(self, w: Worker) -> threading.RLock:
        if self._worker is not w:
            with w.lock:
                if self._worker is not w:
                    self._worker, self._lock = w, threading.RLock()
        return self._lock


class Worker:
    """A process that answers requests, those of several threads side by side. It is for one process of Python, which
    `worker` sees to."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.lock = threading.RLock()  # of what follows
        self._handles = itertools.count(1)
        self._unused: deque[Held] = deque()
        self._link: Link | None = None
        # What is loaded ends with the process: users of handles compare this number.
        self.generation = 0

    # The process

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process, which is started if there is none."""
        return self.link().process

    def link(self) -> Link:
        """The link to the process, which is started if there is none."""
        with self.lock:
            link = self._link
            if link is not None and link.process.poll() is None:
                return link
            if link is not None:  # it has ended
                link.end()
            self.generation += 1
            kwargs: dict[str, Any] = {}
            if sys.platform == "win32":
                kwargs["creationflags"] = subprocess.CREATE_NO_WINDOW
            try:
                self._link = Link(subprocess.Popen([program(), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **kwargs))
            except OSError as e:
                raise WorkerError(f"the program could not be started: {e}", "internal",
                                  "Set DCOPT_PROGRAM to the path of a working program dcopt.") from e
            return self._link

    def close(self, link: Link | None = None) -> None:
        """Ends the process of a link, by default of the one in use; the next request starts another."""
        if link is None:
            link = self._link
        if link is self._link:
            self._link = None
        if link is not None and self.pid == os.getpid():
            link.end()
        elif link is not None:
            link.leave()

    def hold(self, what: str) -> Held:
        """A handle that is not in use, for a "problem" or "model"."""
        with self.lock:
            self.link()
            return Held(self, self.generation, what)

    # Requests

    def _freed(self) -> bytes:
        """Frames that free what nobody refers to any longer."""
        out = b""
        for _ in range(min(len(self._unused), _FREED_AT_ONCE)):
            held = self._unused.popleft()
            if held.here(self):
                out += Text({"type": "free", held.what: held.handle}).frame(next(_IDS))
        return out

    def request(self, header: dict[str, Any] | Text, buffers: Buffers | None = None,
                progress: Callable[[Reply], None] | None = None, names: Places | None = None, held: Held | None = None) -> Reply:
        """Sends a request, without an id, and waits for its reply. KeyboardInterrupt cancels it: a solve or
        a fit then returns the best so far, as the reply. held is what the request refers to.

        Raises: DcoptError of the reply; WorkerError where the process ended."""
        if not isinstance(header, Text):
            header = Text(header if progress is None else dict(header, progress=True), buffers)
        with self.lock:
            if held is not None:
                link = self._link if held.here(self) else None
                if link is None:
                    raise WorkerError("the worker ended, and what the request is about with it", "internal", "The next solve starts another one.")
            else:
                link = self.link()
            call = Call(next(_IDS))
            head = header.frame(call.ident)
            if self._unused:
                head = self._freed() + head
            link.open(call)
        stop = _STOP.get()
        try:
            link.send(head, buffers)
            call.sent = True
            if stop is not None:
                stop.begin(link, call.ident)
            reply = self._wait(link, call, progress)
        except BaseException as e:
            if e is call.raised:
                raise
            self._failed(e, header, link, call)
        finally:
            link.close(call)
            if stop is not None:
                stop.done(link, call.ident)
        if reply["type"] == "error":
            if call.interrupted:
                raise KeyboardInterrupt
            raise from_reply(reply.header, names)
        return reply

    def _failed(self, e: BaseException, header: Text, link: Link, call: Call) -> NoReturn:
        """Raises what an exception means that has come while a frame was written or read: of a signal handler, or as the process has ended."""
        p = link.process
        closed = p.poll() is not None or p.stdin is None or p.stdin.closed
        lost = isinstance(e, (EOFError, OSError, json.JSONDecodeError)) or isinstance(e, ValueError) and closed
        lost = lost and not isinstance(e, (DcoptError, TimeoutError))  # one of a handler of SIGALRM is an OSError, but none of a pipe
        if lost or link.ended or not call.sent:
            self.close(link)
        else:
            link.cancel(call.ident)
        if not lost:
            raise e
        if call.interrupted:  # twice, or the worker did not end in time
            raise KeyboardInterrupt from e
        code = p.returncode
        raise WorkerError(f"the worker ended during {header.kind}" + (f" (code {code})" if code is not None else ""),
                          "internal", "The next solve starts another one." if link.answered else
                          f"It has answered nothing: {program()} serve is not dcopt, or does not run on this machine.") from e

    def _wait(self, link: Link, call: Call, progress: Callable[[Reply], None] | None) -> Reply:
        """Reads until the reply. An interrupt does not tear a frame: where Ctrl-C means
        KeyboardInterrupt, a handler of its own asks the worker to cancel; where it means
        something else, or reading cannot be interrupted by signals, a thread reads."""
        if threading.current_thread() is not threading.main_thread():
            return self._replies(link, call, progress)
        if sys.platform == "win32" or _getsignal(_SIGINT) is not signal.default_int_handler:
            return self._wait_for_thread(link, call, progress)
        timers: list[threading.Timer] = []

        def interrupt(number: int, frame: Any) -> None:
            if call.interrupted:  # once more: do not wait for the best point
                link.process.kill()
                return
            call.interrupted = True
            timers.append(threading.Timer(PATIENCE, link.process.kill))
            timers[0].start()
            # Another thread sends it: this one may be writing a frame.
            threading.Thread(target=link.cancel, args=(call.ident,), daemon=True).start()

        _setsignal(_SIGINT, interrupt)
        try:
            return self._replies(link, call, progress)
        finally:
            _setsignal(_SIGINT, signal.default_int_handler)
            for t in timers:
                t.cancel()

    def _wait_for_thread(self, link: Link, call: Call, progress: Callable[[Reply], None] | None) -> Reply:
        box: list[Any] = []
        done = threading.Event()

        def read() -> None:
            try:
                box.append(self._replies(link, call, progress))
            except BaseException as e:  # handed over to the thread that waits
                box.append(e)
            done.set()

        threading.Thread(target=read, daemon=True).start()
        try:
            done.wait()
        except KeyboardInterrupt:
            call.interrupted = True
            link.cancel(call.ident)
            if not done.wait(PATIENCE):
                link.process.kill()
                raise
        except BaseException:  # of another signal handler: nobody takes the reply
            link.cancel(call.ident)
            raise
        if isinstance(box[0], BaseException):
            raise box[0]
        return box[0]  # type: ignore[no-any-return]

    def _replies(self, link: Link, call: Call, progress: Callable[[Reply], None] | None) -> Reply:
        while True:
            reply = link.next(call)
            if reply["type"] != "progress":
                return reply
            if progress is not None:
                try:
                    progress(reply)
                except BaseException as e:  # nobody takes the reply
                    call.raised = e
                    link.cancel(call.ident)
                    raise


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


__all__ = ["Buffers", "DcoptError", "Held", "Link", "Reply", "Stop", "Text", "Turn", "Worker", "operations", "program", "worker"]
