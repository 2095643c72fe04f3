"""Aligned tables of text."""

from __future__ import annotations


def table(header: list[str], rows: list[list[str]]) -> str:
    """Columns two spaces apart; the first to the left, the others to the right."""
    widths = [max(len(line[column]) for line in [header, *rows]) for column in range(len(header))]

    def line(cells: list[str]) -> str:
        first, *rest = (
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths))
        )
        return "  " + "  ".join([first, *rest]).rstrip()

    return "\n".join([line(header), line(["-" * width for width in widths]), *(line(row) for row in rows)])


def number(value: float | None, form: str) -> str:
    """A formatted number, or a dash where there is none."""
    return "–" if value is None else format(value, form)
