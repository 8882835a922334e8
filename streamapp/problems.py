"""What can be wrong with the settings: one list of codes for the checks and for the start of a consumer."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from streamapp.exceptions import ConfigurationError


class Code(StrEnum):
    """The ids of the system checks, behind `streamapp.`; an id never changes its meaning."""

    # The settings as a whole.
    UNKNOWN_SETTING = "E001"
    WRONG_TYPE = "E002"
    BAD_INTERVAL = "E003"
    CONTRADICTING_INTERVALS = "E004"
    UNKNOWN_DATABASE = "E005"
    UNSUPPORTED_DATABASE = "E006"
    BAD_RETENTION = "E007"
    SQLITE = "W001"
    SQLITE_OPTIONS = "W002"

    # An entry of BROKERS.
    UNKNOWN_BROKER_KEY = "E010"
    BACKEND_NOT_IMPORTABLE = "E011"
    BACKEND_IS_NO_BROKER = "E012"
    BAD_BROKER_OPTION = "E013"
    BAD_BROKER_NAME = "E014"

    # An entry of SUBSCRIPTIONS.
    UNKNOWN_SUBSCRIPTION_KEY = "E020"
    BAD_NAME = "E021"
    HANDLER_NOT_IMPORTABLE = "E022"
    HANDLER_NOT_DECLARED = "E023"
    BAD_SIGNATURE = "E024"
    UNKNOWN_BROKER = "E025"
    SOURCE_NOT_TAKEN = "E026"
    BAD_SOURCE_FIELD = "E027"
    BAD_SOURCE = "E028"
    SHARED_GROUP = "E029"
    BATCH_MISSING = "E030"
    BATCH_NOT_WANTED = "E031"
    BAD_COUNT = "E032"
    AHEAD_SMALLER_THAN_BATCH = "E033"
    NO_POSITION = "E034"
    FOREIGN_POSITION = "E035"
    BAD_CHOICE = "E036"
    ASYNC_TRANSACTION = "E037"
    BAD_RETRY = "E038"
    BAD_STATE = "E039"
    BAD_DECODER = "E040"
    UNKNOWN_ANNOTATION = "E041"
    NOTHING_TO_COMMIT = "E042"
    BAD_MASK = "E043"
    WITHOUT_EFFECT = "W003"

    # What an entry of SUBSCRIPTIONS says of failing records.
    BAD_ON_ERROR = "E050"
    BAD_DELAY = "E051"
    BAD_DESTINATION = "E052"
    SEVERAL_SOURCES = "E053"
    BAD_LIMIT = "E054"
    HOLD_WITHOUT_ORDER = "E055"
    BAD_DRY_RUN = "E056"
    NO_DRY_RUN = "E057"
    COPIES_FOR_ALL = "W004"

    # EXECUTE = "celery".
    NOT_BY_CELERY = "E060"
    NO_CELERY_APP = "E061"
    NO_CELERY_TASKS = "E062"
    UNCONFIRMED = "E063"
    REFUSED_TASKS = "E064"


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: what is wrong and where, and what to do about it."""

    code: Code
    sentence: str
    hint: str

    @property
    def is_error(self) -> bool:
        """Tell whether it keeps a consumer from starting."""
        return self.code.startswith("E")

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint} (streamapp.{self.code})"


class Findings:
    """Collects the problems of one place; whoever reads a value there reports here and goes on."""

    def __init__(self, place: str) -> None:
        """Name the place as the sentences shall begin with it."""
        self.place = place
        self.problems: list[Problem] = []

    def report(self, code: Code, what: str, hint: str) -> None:
        """Add a problem; `what` goes behind the name of the place."""
        self.problems.append(Problem(code, f"{self.place}: {what}", hint))


def refuse(problems: Iterable[Problem]) -> None:
    """Raise ConfigurationError with all errors among the problems, if there are any; warnings pass."""
    if errors := [str(problem) for problem in problems if problem.is_error]:
        raise ConfigurationError("\n".join(errors))


def nearest(given: object, known: Iterable[str]) -> str:
    """Return a hint that names the right word meant by a wrong one, or else all there are."""
    names = {name.casefold(): name for name in sorted(known)}
    if close := get_close_matches(str(given).casefold(), names, n=3):
        return f"Did you mean {' or '.join(repr(names[name]) for name in close)}?"
    return f"There are: {', '.join(map(repr, names.values()))}." if names else "There are none."
