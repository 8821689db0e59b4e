"""The worker process: spreadsheets in, one line of JSON each, and out; see `records`.

A separate process because the reader lays a table out with all the empty cells that it spans: one
cell at the far end of a sheet asks for hundreds of gigabytes, over which the reader aborts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from reviewscore.processes.serve import end_after, limit_memory, serve

MEGABYTES = 2_000
"""Memory that it may take: a table of some ten million cells."""
SECONDS = 120.0
_GRACE = 2.0
TOO_LARGE = "too large"
"""Name of the answer's field that says how many bytes the cells of a table have at least."""


def main() -> None:
    """Read spreadsheets from standard input, one task a line, until it ends."""
    import python_calamine  # noqa: F401 - so that the first one is quick

    serve(_answer)


def _answer(line: str, _: Callable[[str], None]) -> str:
    import python_calamine

    task = json.loads(line)
    limit_memory(MEGABYTES, "RLIMIT_AS")
    end_after(SECONDS + _GRACE)
    try:
        return json.dumps({"tabs": list(_tabs(task["path"], task["most"]))})
    except _TooLargeError as error:
        return json.dumps({TOO_LARGE: error.size})
    except MemoryError:
        return json.dumps({"problem": f"needs more than {MEGABYTES:,} MB of memory to read"})
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        return json.dumps({"problem": f"is no spreadsheet that can be read ({error})"})


class _TooLargeError(Exception):
    """The cells of a table have too many bytes."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(size)


def _tabs(path: str, most: int) -> Iterator[tuple[str, list[list[str]]]]:
    """The tabs by name, with the text of each cell."""
    import python_calamine

    size = 0
    book = python_calamine.CalamineWorkbook.from_path(path)
    for name in book.sheet_names:
        sheet, rows = book.get_sheet_by_name(name), []
        if (cells := sheet.total_height * sheet.total_width) > most:
            raise _TooLargeError(cells)
        for number, row in enumerate(sheet.to_python(skip_empty_area=False)):
            rows.append([_text(one) if number else str(one) for one in row])
            size += sum(map(len, rows[-1])) + len(row)
            if size > most:
                raise _TooLargeError(size)
        yield name, rows


def _text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)
