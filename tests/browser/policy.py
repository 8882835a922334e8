"""The admin under a strict policy: nothing inline and nothing of another host is taken."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

POLICY = "default-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"


def strict_policy(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Let the browser report on the console what a page does against the policy."""

    def answered(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        response["Content-Security-Policy"] = POLICY
        return response

    return answered
