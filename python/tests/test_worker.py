"""The worker: processes, forks, threads, interrupts, wrong requests."""

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
from dcopt._worker import WorkerError, worker


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
                    worker()._start().kill()
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
    w = worker()
    w._process.kill()
    w._process.wait()
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

    def begin_and_kill(p, ident, progress):
        threading.Timer(0.2, p.kill).start()
        return started(p, ident, progress)

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
    with w._write_lock:  # not to be had again by this thread
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
        prob.solve(method="dcopt", time_limit=1)
        print("ready", flush=True)
        prob.solve(method="dcopt", starts=100000, seed=1)
        print(prob.status, prob.value, c.value is not None, flush=True)
    """)
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p), PYTHONWARNINGS="ignore")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env, text=True) as p:
        try:
            assert p.stdout.readline().strip() == "ready"
            time.sleep(3)
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
    prob.solve(method="dcopt", time_limit=.1)

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
    program = "from dcopt._worker import worker; w = worker(); w.request({'type': 'hello'}); print(w._process.pid, flush=True); import os; os._exit(0)"
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
