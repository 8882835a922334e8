"""Records set aside, at the desk: what arrived stays, and nothing is deleted before it is safe elsewhere."""

from mutation.guard import Guard

ADMIN = "admin/test_set_aside.py"
ENGINE = "contract/engine/test_edited_copies.py"

GUARDS = (
    Guard(
        name="edit-beside",
        promise="An edited copy stands beside the value that arrived, which stays.",
        file="store/set_aside.py",
        text='        edited = {"edited_value": value,',
        without='        edited = {"value": value, "edited_value": value,',
        test=f"{ADMIN}::test_an_edited_copy_stands_beside_the_original_which_stays_as_it_arrived",
    ),
    Guard(
        name="original-comes-back",
        promise="What fails again as an edited copy comes back with the value that arrived.",
        file="store/edits.py",
        text='        "value": edit.arrived,\n',
        without="",
        test=f"{ENGINE}::test_an_edited_copy_that_fails_again_is_a_letter_with_what_arrived",
    ),
    Guard(
        name="published-before-deleted",
        promise="A record that goes to its source leaves once the broker has confirmed it, not before.",
        file="services/set_aside/publish.py",
        text="        try:\n            headers = {",
        without="        store.delete(row)\n        try:\n            headers = {",
        test=f"{ADMIN}::test_a_record_that_its_source_does_not_confirm_stays",
    ),
    Guard(
        name="redelivered-once",
        promise="A redelivered record is a delayed one and no dead letter any more, both or neither.",
        file="store/set_aside.py",
        text="            return False\n        self.delete(row)\n",
        without="            return False\n",
        test=f"{ADMIN}::test_an_unedited_record_is_redelivered_as_it_arrived",
    ),
    Guard(
        name="in-hand-untouched",
        promise="Nobody edits, moves or purges a delayed record that a worker has in hand.",
        file="store/set_aside.py",
        text="        if self._model is not DelayedRecord:\n",
        without="        if True:\n",
        test=f"{ADMIN}::test_a_delayed_record_in_a_workers_hand_is_not_touched",
    ),
    Guard(
        name="edit-decoded",
        promise="An edited copy is kept only if the handler's type accepts it.",
        file="services/set_aside/editing.py",
        text="    _decode(mount, value, masks)\n",
        without="",
        test=f"{ADMIN}::test_the_handlers_type_refuses_an_edited_copy_and_nothing_is_kept",
    ),
    Guard(
        name="hidden-at-its-place",
        promise="The mark of a hidden field brings its value to no other place.",
        file="services/set_aside/merging.py",
        text="    if part == HIDDEN and masks.hides(path) and name in known:\n",
        without="    if part == HIDDEN and name in known:\n",
        test=f"{ADMIN}::test_the_mark_of_a_hidden_field_brings_nothing_to_where_it_was_not",
    ),
    Guard(
        name="set-aside-permission",
        promise="Redelivering, publishing and purging each take a permission of their own.",
        file="admin/set_aside_actions.py",
        text="        if not request.user.has_perm(TITLES[action].permission) or",
        without="        if",
        test=f"{ADMIN}::test_one_permission_does_not_give_another",
    ),
)
