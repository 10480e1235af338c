import pytest

from dcopt._errors import WorkerError
from dcopt._worker import program


@pytest.fixture(scope="session", autouse=True)
def the_program():
    try:
        return program()
    except WorkerError as e:
        pytest.exit(f"no program: {e}", 3)
