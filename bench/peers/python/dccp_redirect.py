"""A plugin of pytest that runs DCCP's own tests with dcopt in DCCP's place.

    PYTHONPATH=. python -m pytest -p dccp_redirect -k 'TestExample or TestDccpFunction' DCCP/tests/test_example.py DCCP/tests/test_problem.py

DCCP is a checkout of github.com/cvxgrp/dccp; its package is installed, as the tests use other parts of it.
"""

import dccp.problem

import dcopt


def pytest_configure(config):
    dcopt.replace_dccp()
    dccp.problem.dccp = dccp.dccp = dcopt.as_dccp
