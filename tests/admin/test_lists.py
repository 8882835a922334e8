"""Lists, whatever is in them: cards in a narrow window, a way back where nothing is found, long names."""

import re

from streamapp.records import Shard
from tests.admin.scenes import started
from tests.admin.test_pages import page

CELL = re.compile(r"<t[dh] data-label=\"([^\"]*)\"")


def test_each_cell_of_a_row_knows_the_title_of_its_column(rows, operator):
    row = page(operator, "checkpoint/").split("<tbody>")[1].split("</tr>")[0]
    assert CELL.findall(row) == ["", "Shard", "Lag", "Held", "Read by", "Position, moved"]


def test_a_list_without_ticks_begins_with_its_first_column(rows, looker):
    row = page(looker, "subscription/").split("<tbody>")[1].split("</tr>")[0]
    assert CELL.findall(row)[:2] == ["Name", "Broker"]


def test_where_a_search_finds_nothing_the_list_leads_back_to_everything(rows, looker):
    shown = page(looker, "checkpoint/?q=nowhere")
    assert "Nothing is found." in shown and '<a href="?">Show everything</a>' in shown
    assert "Nothing here yet." not in shown


def test_a_name_that_is_longer_than_a_line_may_break(looker):
    long = "organisation.department.team.environment.orders"
    started("ledger.spend", {Shard(long, "0"): 5})
    assert f'<span class="streamapp-name">{long}/0</span>' in page(looker, "checkpoint/")


def test_thousands_of_shards_are_counted_as_everywhere(operator):
    started("ledger.spend", {Shard("orders", str(number)): 5 for number in range(1200)})
    asked = page(operator, "checkpoint/rewind/", subscription="ledger.spend")
    assert "1,200 of 1,200 shards are ticked." in asked and "1,200 shards are found:" in asked
