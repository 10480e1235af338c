"""The worker: processes, forks, threads, interrupts, wrong requests."""

import asyncio
import gc
import multiprocessing as mp
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import dcopt
import need
from dcopt._worker import Stop, WorkerError, worker


def least_squares(k):
    """Solves a small problem with a known answer: the point of x1 + x2 = 1 next to (k, k)."""
    x = dcopt.solve_qp(2 * np.eye(2), [-2.0 * k, -2.0 * k], A=[[1.0, 1.0]], b=[1.0])
    return bool(np.allclose(x, [0.5, 0.5], atol=1e-6))


def test_hello():
    r = worker().request({"type": "hello", "protocol": 1})
    assert r["protocol"] == 1 and "ipm" in r["backends"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools(method):
    need.that(method in mp.get_all_start_methods(), need.Thing.UNIX, f"for the start method {method}")
    assert least_squares(1)  # the parent has a worker when the pool forks
    with mp.get_context(method).Pool(8) as pool:
        assert all(pool.map(least_squares, range(1000), chunksize=25))
    assert least_squares(2)


def test_threads():
    bad = []

    def work():
        for k in range(50):
            if not least_squares(k):
                bad.append(k)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not bad and not any(t.is_alive() for t in threads)


def test_threads_whose_worker_is_killed():
    """What one thread has loaded is not asked of the process that another one has started."""
    answers, other = [], []

    def work(seed):
        for k in range(40):
            for kill in ((k + seed) % 7 == 0, *[False] * 100):
                if kill:
                    worker().process.kill()
                try:
                    answers.append(least_squares(k))
                    break
                except WorkerError:
                    continue  # once more
                except Exception as e:
                    other.append(e)
                    break

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not other and len(answers) == 320 and all(answers)


def test_killed_worker():
    assert least_squares(1)
    p = worker().process
    p.kill()
    p.wait()
    assert least_squares(2)  # another one


@pytest.mark.parametrize("program, text", [("/nonexistent", "could not be started"), ("/bin/true", "answered nothing: /bin/true serve is not dcopt")])
def test_no_program(program, text, monkeypatch):
    need.that(sys.platform != "win32", need.Thing.UNIX, "for its programs")
    assert least_squares(1)
    monkeypatch.setenv("DCOPT_PROGRAM", program)
    worker().close()
    with pytest.raises(dcopt.WorkerError, match=text):
        least_squares(1)
    monkeypatch.undo()
    assert least_squares(2)


def test_worker_that_dies_in_a_request():
    w = worker()
    cp = need.module("cvxpy")
    c = cp.Variable((20, 2), name="c", value=np.arange(40.0).reshape(20, 2))
    apart = [cp.norm(c[i] - c[j]) >= 1 for i in range(20) for j in range(i)]
    prob = cp.Problem(cp.Minimize(cp.max(cp.abs(c))), apart)
    prob.solve(method="dcopt", max_iter=1, warm_start=True)
    before, status, started = c.value.copy(), prob.status, w._replies

    def begin_and_kill(link, call, progress):
        threading.Timer(0.2, link.process.kill).start()
        return started(link, call, progress)

    w._replies = begin_and_kill
    try:
        with pytest.raises(dcopt.WorkerError, match="ended during solve"):
            prob.solve(method="dcopt", starts=100000)
    finally:
        del w._replies
    np.testing.assert_array_equal(c.value, before)
    assert prob.status == status
    assert least_squares(3)


def test_what_ends_in_the_middle_of_a_frame_is_freed_by_the_next_request():
    """Python may collect a problem at any allocation, also while a request is being written."""
    cp = need.module("cvxpy")
    x = cp.Variable(2)
    prob = cp.Problem(cp.Minimize(cp.sum_squares(x - 1)), [x >= 2])
    prob.solve(method="dcopt")
    w, held = worker(), dcopt._method._Kept.of(prob).loaded._held
    check = {"type": "check", "problem": held.handle}
    w.request(check)
    with w.link()._write:  # not to be had again by this thread
        del prob, held, x
        gc.collect()
    w.request({"type": "hello"})
    with pytest.raises(dcopt.DcoptError, match="there is no problem"):
        w.request(check)
    assert not w._unused


def test_wrong_requests_are_errors():
    for header in ({"type": "nonsense"}, {"type": "solve", "problem": 99}, {"type": "load", "problem": 1, "variables": 3}):
        with pytest.raises(dcopt.DcoptError):
            worker().request(header)
    assert least_squares(1)


def test_interrupt_returns_the_best_point():
    need.that(sys.platform != "win32", need.Thing.UNIX, "for its signals")
    program = textwrap.dedent("""
        import signal
        # A shell starts programs in the background with SIGINT ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        import cvxpy as cp, numpy as np, dcopt, sys
        n = 60
        r = np.linspace(1, 2, n)
        c = cp.Variable((n, 2), name="c")
        apart = [cp.norm(c[i] - c[j], 2) >= r[i] + r[j] for i in range(n) for j in range(i)]
        prob = cp.Problem(cp.Minimize(cp.max(cp.max(cp.abs(c), axis=1) + r)), apart)
        told = []
        def tell(p):
            if p.best is not None and not told:
                told.append(p)
                print("ready", flush=True)
        prob.solve(method="dcopt", starts=100000, seed=1, callback=tell)
        print(prob.status, prob.value, c.value is not None, flush=True)
    """)
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p), PYTHONWARNINGS="ignore")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env, text=True) as p:
        try:
            assert p.stdout.readline().strip() == "ready"
            p.send_signal(signal.SIGINT)
            out = p.communicate(timeout=120)[0].split()
        finally:
            p.kill()
    assert p.returncode == 0, out
    assert out[0] == "user_limit" and float(out[1]) < 1000 and out[2] == "True"


def test_an_alarm_of_the_user_is_the_users_exception():
    """TimeoutError is an OSError, as those of a pipe that has broken."""
    need.that(hasattr(signal, "SIGALRM"), need.Thing.UNIX, "for SIGALRM")
    cp = need.module("cvxpy")
    c = cp.Variable((30, 2))
    prob = cp.Problem(cp.Minimize(cp.max(cp.abs(c))), [cp.norm(c[i] - c[j]) >= 1 for i in range(30) for j in range(i)])
    prob.solve(method="dcopt", starts=1, max_iter=2)

    def late(number, frame):
        raise TimeoutError("late")

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, .5)
        with pytest.raises(TimeoutError, match="late"):
            prob.solve(method="dcopt", starts=100000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert least_squares(1)


def test_the_worker_ends_with_its_parent():
    program = "from dcopt._worker import worker; w = worker(); w.request({'type': 'hello'}); print(w.process.pid, flush=True); import os; os._exit(0)"
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    pid = int(subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env, check=True).stdout)
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except OSError:
            return
        if sys.platform.startswith("linux"):
            with open(f"/proc/{pid}/stat") as f:
                if f.read().split()[2] == "Z":
                    return
        time.sleep(0.1)
    pytest.fail("the worker is still there")


def endless(m=None, n=20):
    """A problem whose solve with so many starts takes more time than anyone has."""
    m = m or dcopt.Model()
    c = m.var("c", (n, 2), at_least=-20, at_most=20, start_normal=(0, 5))
    m.minimize(dcopt.dc.max(abs(c)))
    m.subject_to(*(dcopt.dc.norm2(c[i] - c[j]) >= 1 for i in range(n) for j in range(i)))
    return m


class Running(threading.Thread):
    """A solve in a thread, that `stop` ends."""

    def __init__(self, model, **settings):
        super().__init__(daemon=True)
        self.model, self.settings, self.stop, self.result, self.told = model, settings, Stop(), None, threading.Event()

    def run(self):
        with self.stop:
            try:
                self.result = self.model.solve(starts=10**6, callback=lambda p: self.told.set(), **self.settings)
            except BaseException as e:
                self.result = e


def running(count=1):
    threads = [Running(endless()) for _ in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        assert t.told.wait(60)
    return threads


def test_threads_run_side_by_side():
    long, other = running(2)
    assert all(least_squares(k) for k in range(50))
    assert long.is_alive() and other.is_alive(), "small requests do not wait for two long ones, which have no end"
    other.stop.ask()
    other.join(30)
    assert other.result.reason == "cancelled" and long.is_alive() and long.result is None
    assert other.result.feasible and other.result["c"].shape == (20, 2)
    long.stop.ask()
    long.join(30)
    assert long.result.reason == "cancelled"
    stopped = Running(endless())
    stopped.stop.ask()  # before it begins
    stopped.start()
    stopped.join(30)
    assert not stopped.is_alive() and stopped.result is not None


def test_many_threads_with_problems_of_their_own():
    """Each has the answer to its own problem, in whatever order the replies come."""
    bad = []

    def work(seed):
        m = dcopt.Model()
        x, p = m.var("x", 3, at_least=-9, at_most=9), m.param("p", 3)
        m.minimize(dcopt.dc.sum_squares(x - p) + dcopt.dc.norm1(x) * 0)
        for k in range(40):
            p.value = [seed, k / 10, -seed]
            try:
                if not np.allclose(m.solve()["x"], p.value, atol=1e-4) or not least_squares(seed + k):
                    bad.append((seed, k))
            except BaseException as e:
                bad.append(e)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not bad and not any(t.is_alive() for t in threads)
    assert not worker().link()._calls


def test_one_model_in_many_threads():
    m = dcopt.Model()
    x = m.var("x", 2)
    m.minimize(dcopt.dc.sum_squares(x - [1.0, 2.0]))
    found = []
    threads = [threading.Thread(target=lambda: found.append(m.solve().objective)) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert len(found) == 8 and max(found) < 1e-6


def test_problems_of_cvxpy_are_translated_in_threads():
    cp = need.module("cvxpy")
    bad = []

    def work(seed):
        for k in range(6):
            x = cp.Variable(4)
            at = np.arange(4.0) + seed + k
            prob = cp.Problem(cp.Minimize(cp.sum_squares(x - at) + cp.norm1(x - at)), [x >= -50])
            prob.solve(method="dcopt")
            if not np.allclose(x.value, at, atol=1e-3):
                bad.append((seed, k, x.value))

    threads = [threading.Thread(target=work, args=(100 * seed,)) for seed in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not bad


def test_a_callback_that_fails_ends_its_solve_alone():
    (long,) = running()
    m = endless()
    for error in (OSError("mine"), ValueError("mine"), EOFError("mine"), TimeoutError("mine"), KeyboardInterrupt("mine")):
        def fail(p):
            raise error

        with pytest.raises(type(error), match="mine"):
            m.solve(starts=10**6, callback=fail)
    inner = []
    m.solve(starts=200, callback=lambda p: inner.append(least_squares(3)))  # a request in the middle of another one
    assert long.is_alive() and all(inner)
    long.stop.ask()
    long.join(30)
    assert long.result.reason == "cancelled"


def test_a_worker_that_dies_with_several_requests():
    threads = running(3)
    worker().process.kill()
    for t in threads:
        t.join(30)
    assert [type(t.result) for t in threads] == [dcopt.WorkerError] * 3
    assert least_squares(1)


def test_a_fork_while_threads_solve():
    need.that("fork" in mp.get_all_start_methods(), need.Thing.UNIX, "for the start method fork")
    (long,) = running()
    with mp.get_context("fork").Pool(2) as pool:
        assert all(pool.map(least_squares, range(20)))
    assert long.is_alive()
    long.stop.ask()
    long.join(30)
    assert long.result.reason == "cancelled"


def test_an_event_loop_awaits_solves():
    class Remembering(dcopt.Model):
        result = None

        def solve(self, **settings):
            self.result = super().solve(**settings)
            return self.result

    cancelled = endless(Remembering())

    async def main():
        begun, loop = asyncio.Event(), asyncio.get_running_loop()
        long = asyncio.create_task(dcopt.solve_async(cancelled, starts=10**6, callback=lambda p: loop.call_soon_threadsafe(begun.set)))
        await begun.wait()  # the loop goes on beside the solve
        small = []
        for k in range(10):
            m = dcopt.Model()
            x = m.var("x")
            m.minimize(dcopt.dc.square(x - k))
            small.append(dcopt.solve_async(m))
        found = [r["x"] for r in await asyncio.gather(*small)]
        assert np.allclose(found, range(10), atol=1e-4) and not long.done()
        long.cancel()
        with pytest.raises(asyncio.CancelledError):
            await long

    asyncio.run(main())
    assert cancelled.result.reason == "cancelled"


def test_an_event_loop_awaits_problems_of_cvxpy():
    cp = need.module("cvxpy")
    x = cp.Variable()
    prob = cp.Problem(cp.Minimize(cp.abs(x) - 2 * cp.abs(x - 1)), [x >= -2, x <= 3])
    assert asyncio.run(dcopt.solve_async(prob, seed=1)) == pytest.approx(-4, abs=1e-5) and prob.status == "optimal"

    async def wrong():
        await dcopt.solve_async(prob, strats=1)

    with pytest.raises(dcopt.DcoptError, match="Did you mean starts"):
        asyncio.run(wrong())


def test_an_interrupt_is_for_the_main_thread_alone():
    need.that(sys.platform != "win32", need.Thing.UNIX, "for its signals")
    program = textwrap.dedent("""
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        import test_worker, threading
        (long,) = test_worker.running()
        told = []
        result = test_worker.endless().solve(starts=10**6, callback=lambda p: told or (told.append(p), print("ready", flush=True)))
        print(result.reason, result.feasible, long.is_alive(), flush=True)
        long.stop.ask()
        long.join(30)
        print(long.result.reason, flush=True)
    """)
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env, text=True) as p:
        try:
            assert p.stdout.readline().strip() == "ready"
            p.send_signal(signal.SIGINT)
            out = p.communicate(timeout=120)[0].split()
        finally:
            p.kill()
    assert out == ["cancelled", "True", "True", "cancelled"]


def test_limits_count_from_the_first_moment():
    """A translation, and what a worker does with it, ends with the time limit; another solve begins anew."""
    cp = need.module("cvxpy")
    n = 120
    c = cp.Variable((n, 2))
    prob = cp.Problem(cp.Minimize(cp.max(cp.abs(c))), [cp.norm(c[i] - c[j]) >= 1 for i in range(n) for j in range(i)])
    m = dcopt.Model()
    x = m.var("x", (n, 2))
    m.minimize(dcopt.dc.max(abs(x)))
    m.subject_to(*(dcopt.dc.norm2(x[i] - x[j]) >= 1 for i in range(n) for j in range(i)))
    for solve in (lambda limit: prob.solve(method="dcopt", time_limit=limit), lambda limit: m.solve(time_limit=limit)):
        with pytest.raises(dcopt.DcoptError, match="the time limit passed before there was a point") as e:
            solve(0.05)
        assert e.value.kind == "cancelled"
    assert c.value is None and "_dcopt" not in vars(prob), "the translation went on to its end"
    small = cp.Problem(cp.Minimize(cp.square(c[0, 0] - 1)))
    assert small.solve(method="dcopt", time_limit=60) == pytest.approx(0, abs=1e-8) and small.status == "optimal"
