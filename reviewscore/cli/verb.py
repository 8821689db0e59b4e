"""What all commands share: an option that names something is given once, or refused."""

from __future__ import annotations

import math

import click


class Verb(click.Command):
    """A command that drops nothing it was given.

    Click takes the last of several values without a word; where values name files, folders,
    models or addresses, the others would be lost. Numbers, choices and switches may be overruled.
    Nor does it take `nan` or `inf`, which no range keeps out, for a number.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse a name that is given twice to an option that takes one."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in given:
            if isinstance(option, click.Option) and _names(option) and given.count(option) > 1:
                flag = max(option.opts, key=len)
                ctx.fail(f"{flag} is given {given.count(option)} times and takes one value.")
        left = super().parse_args(ctx, args)
        for param in self.params:
            value = ctx.params.get(param.name or "")
            if isinstance(value, float) and not math.isfinite(value):
                ctx.fail(f"{max(param.opts, key=len)} takes a number, not {value}.")
        return left


def _names(option: click.Option) -> bool:
    """Whether an option takes one name of something."""
    naming = isinstance(option.type, click.Path | click.File | type(click.STRING))
    return naming and not (option.multiple or option.is_flag)
