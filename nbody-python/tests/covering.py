"""Covering arrays: rows of choices such that any few that may occur together do so in some row."""

import itertools


class Covering:
    """Options, each with its number of choices, and a test whether choices may occur together, of a list with
    `None` for options that are open."""

    def __init__(self, options, strength, allows):
        self.options = options
        self.strength = strength
        self.allows = allows

    def rows(self):
        """Returns the rows, the same in every call. Each begins with a combination that no earlier row has,
        and adds choices that cover the most missing ones."""
        missing = dict.fromkeys(self._combinations())
        rows = []
        while missing:
            first = next(iter(missing))
            row = self._completed(first, missing, len(rows))
            if row is None:
                # No row can have it.
                del missing[first]
                continue
            for combination in self._of(row):
                missing.pop(combination, None)
            rows.append(row)
        return rows

    def _combinations(self):
        each = range(len(self.options))
        for some in itertools.combinations(each, self.strength):
            for choices in itertools.product(*(range(self.options[k]) for k in some)):
                yield tuple(zip(some, choices))

    def _of(self, row):
        return itertools.combinations(enumerate(row), self.strength)

    def _completed(self, first, missing, turn):
        """Returns a row with these choices; `None` if there is none."""
        row = [None] * len(self.options)
        for option, choice in first:
            row[option] = choice
        if not self._may_become(row):
            return None
        for k in range(len(row)):
            # Another order of options in each row.
            option = (k + turn) % len(row)
            if row[option] is None:
                row[option] = self._best(row, option, missing, turn)
        return row

    def _best(self, row, option, missing, turn):
        made = [(k, choice) for k, choice in enumerate(row) if choice is not None]
        others = list(itertools.combinations(made, self.strength - 1))
        n = self.options[option]
        best, most = None, -1
        for choice in ((choice + turn) % n for choice in range(n)):
            mine = (option, choice)
            added = sum(tuple(sorted((*other, mine))) in missing for other in others)
            if added > most:
                row[option] = choice
                if self._may_become(row):
                    best, most = choice, added
        row[option] = None
        return best

    def _may_become(self, row):
        """Returns whether a row can be completed."""
        if not self.allows(row):
            return False
        if None not in row:
            return True
        option = row.index(None)
        for choice in range(self.options[option]):
            row[option] = choice
            possible = self._may_become(row)
            row[option] = None
            if possible:
                return True
        return False


def ways(options, strength):
    """Returns ways, each a choice of every option by its name, in which any few choices meet."""
    rows = Covering([len(choices) for choices in options.values()], strength, lambda row: True).rows()
    return [{name: options[name][k] for name, k in zip(options, row)} for row in rows]
