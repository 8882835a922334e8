"""Lists that a narrow window shows as cards: each cell knows the title of its column. And large counts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

register = template.Library()
TAG = len("<td")
TICKS = "action-checkbox"


@register.filter
def labelled(cells: Sequence[SafeString], headers: Iterable[Mapping[str, str]]) -> Iterator[SafeString]:
    """Yield the cells of a row of Django's list with the title of their column as `data-label`.

    Cells begin with `<td` or `<th`, as Django writes them. A column of ticks has no title.
    """
    for cell, header in zip(cells, headers, strict=True):
        ticks = TICKS in header.get("class_attrib", "")
        label = "" if ticks else capfirst(header["text"])
        begin, rest = mark_safe(cell[:TAG]), mark_safe(cell[TAG:])
        yield format_html('{} data-label="{}"{}', begin, label, rest)


@register.filter
def counted(number: int) -> str:
    """Write a count as the other pages do: 9,000."""
    return f"{number:,}"
