"""The exceptions of the package."""

from __future__ import annotations

from typing import Any


class DcoptError(Exception):
    """What dcopt cannot do, and the way out.

    Attributes:
        kind: the kind of the error, as docs/protocol.md has it.
        help: what to do, or "".
        place: the user's expression or constraint that is meant, or "".
    """

    def __init__(self, text: str, kind: str = "problem", help: str = "", place: str = "", notes: tuple[str, ...] = ()) -> None:
        self.kind, self.help, self.place, self.notes = kind, help, place, notes
        message = f"{place}: {text}" if place else text
        message += "".join(f"\n  {n}" for n in notes)
        super().__init__(message + (f"\n{help}" if help else ""))


class CurvatureError(DcoptError):
    """A problem that has no split into a difference of convex functions."""


class ProblemError(DcoptError, ValueError):
    """A problem that says nothing sensible: NaN, shapes that do not go together, crossed bounds."""


class UnsupportedError(DcoptError):
    """A function or a constraint that dcopt does not have."""


class WorkerError(DcoptError):
    """The worker could not be started, or it ended in the middle of a request."""


def from_reply(header: dict[str, Any], names: dict[int, str] | None = None) -> DcoptError:
    """The exception of an error frame; names has the places by the numbers of nodes."""
    first = header["errors"][0]

    def place(e: dict[str, Any]) -> str:
        if names and e.get("node") in names:
            return names[e["node"]]
        return str(e.get("name", ""))

    notes = []
    for n in list(first.get("notes", [])) + header["errors"][1:]:
        p = place(n)
        notes.append(f"{p}: {n['text']}" if p else n["text"])
    kind = first["kind"]
    cls = {"curvature": CurvatureError, "unsupported": UnsupportedError, "problem": ProblemError}.get(kind, DcoptError)
    return cls(first["text"], kind, first.get("help", ""), place(first), tuple(notes))
