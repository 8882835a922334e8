"""A rewind's plan for a terminal."""

from streamapp.management.streams.table import table
from streamapp.services.places import described
from streamapp.services.plans import Line, Plan
from streamapp.services.wording import amount

HEADINGS = ("shard", "old", "new", "records between", "note")


def review(plan: Plan, note: str = "") -> str:
    """Return the plan as a table with a heading; `note` says what was not looked at."""
    lines = [
        f"{plan.subscription} to {plan.target}: {plan.scope}. {plan.effect}",
        *([plan.echo] if plan.echo else []),
        table(HEADINGS, [_row(plan.broker, line) for line in plan.lines]),
    ]
    if plan.staying:
        lines.append(f"No change: {amount(plan.staying, 'other shard')} not named by the position.")
    lines += [f"No change: {left.shard}: {left.flag}" for left in plan.left]
    lines += [f"! {remark}." for remark in plan.remarks]
    lines += [f"! {note}"] * bool(note)
    return "\n".join(lines)


def _row(broker: str, line: Line) -> tuple[str, ...]:
    places = described(broker, line.old), described(broker, line.new)
    return line.shard, *places, line.effect(broker), "; ".join(line.flags)
