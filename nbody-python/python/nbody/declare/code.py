"""Text with the places in Python that it was printed from."""

from __future__ import annotations

from typing import Optional, Union

from nbody.declare.errors import Place


class Code:
    """A line of text, or a part of one, whose spans know their places in Python."""

    __slots__ = ("spans", "text")

    def __init__(self, *parts: Union[str, Code], place: Optional[Place] = None) -> None:
        self.text = ""
        self.spans: list[tuple[int, int, Place]] = []
        for part in parts:
            if isinstance(part, Code):
                begin = len(self.text)
                self.spans += [(a + begin, b + begin, at) for a, b, at in part.spans]
            self.text += part.text if isinstance(part, Code) else part
        if place is not None:
            self.spans.append((0, len(self.text), place))

    def joined(self, separator: str, others: list[Code]) -> Code:
        """Returns this code and others with a separator between them."""
        return Code(self, *(part for other in others for part in (separator, other)))

    def place(self, column: int) -> Optional[Place]:
        """Returns the place of the smallest span that has a column, from 0; else the largest span's."""
        inside = [span for span in self.spans if span[0] <= column < span[1]]
        if inside:
            return min(inside, key=lambda span: span[1] - span[0])[2]
        return max(self.spans, key=lambda span: span[1] - span[0])[2] if self.spans else None


def listed(parts: list[Code]) -> Code:
    """Returns codes with commas between them."""
    return parts[0].joined(", ", parts[1:]) if parts else Code()


class Lines:
    """Lines of a text, indented."""

    def __init__(self) -> None:
        self.lines: list[Code] = []
        self.depth = 0

    def add(self, *parts: Union[str, Code], place: Optional[Place] = None) -> None:
        """Adds a line at the present depth."""
        self.lines.append(Code("    " * self.depth, Code(*parts, place=place)))

    def open(self, *parts: Union[str, Code], place: Optional[Place] = None) -> None:
        """Adds a line, and indents the next ones."""
        self.add(*parts, place=place)
        self.depth += 1

    def close(self, text: str = "}") -> None:
        """Ends an indented block."""
        self.depth -= 1
        self.add(text)

    def blank(self) -> None:
        """Adds an empty line, but not as the first one."""
        if self.lines:
            self.lines.append(Code())

    def doc(self, text: Optional[str]) -> None:
        """Adds a doc comment."""
        for line in (text or "").splitlines():
            self.add(f"/// {line}".rstrip())

    def take(self, others: Lines) -> None:
        """Adds the lines of others at the present depth."""
        self.lines += [Code("    " * self.depth, line) if line.text else line for line in others.lines]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(f"{line.text}\n" for line in self.lines)
