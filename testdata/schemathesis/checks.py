"""What schemathesis' own checks leave open; schemathesis.toml names this file."""

import itertools

import schemathesis
from schemathesis.specs.openapi.checks import is_unexpected_http_status_case

EXAMPLE_KEY = "order-4711"  # of the description
numbers = itertools.count(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Numbers the Idempotency-Key of the description's example.

    Most requests carry it, and all but the first would be refused for that alone.
    """
    if (case.headers or {}).get("Idempotency-Key") == EXAMPLE_KEY:
        case.headers["Idempotency-Key"] = f"{EXAMPLE_KEY}-{next(numbers)}"


# Why a request that the description allows may be refused all the same. Each is a
# condition that no JSON Schema can state.
BY_NAME = {
    "IDEMPOTENCY_KEY_REUSED",  # depends on the requests before
    "EINVOICE_OPTIONS_CONFLICT",  # fields exclude one another, and the contract names the condition
    "EINVOICE_XML_INVALID",  # XML is held to an XSD
    "EINVOICE_NOT_FOUND",  # a PDF may have no invoice
    "EINVOICE_TEMPLATE_NOT_FOUND",  # ids are drawn
    "MARKDOWN_INVALID",  # nested too deep
    "EMPTY_HTML",  # empty once sanitised; the contract wants 400 for "" too, hence no minLength
    "INVALID_URL",  # the host does not exist, which depends on the network of the machine
    "SSRF_BLOCKED",  # drawn addresses may be private ones
    "PAYLOAD_TOO_LARGE_FOR_QUEUE",  # counted in bytes of what is rendered
    "JOB_NOT_FOUND",  # ids are drawn
    "JOB_NOT_COMPLETE",  # depends on time
    "JOB_NOT_ENDED",  # likewise
    "JOB_ALREADY_ENDED",
    "SYNC_TIMEOUT",
    "NO_WEBHOOK",  # depends on how the job was submitted
    "NO_EVIDENCE",  # so does that
    "OUTPUT_DELIVERED_EXTERNALLY",
    "CONCURRENCY_LIMIT_EXCEEDED",  # depends on how fast the browser is
    "TEST_RATE_LIMIT_EXCEEDED",
    "RATE_LIMIT_EXCEEDED",
    "DOWNLOAD_BUSY",
    "DOWNLOAD_ATTEMPTS_EXHAUSTED",
    "WINDOW_NOT_FOUND",  # starts of windows are drawn
    "USAGE_TOO_LARGE",  # depends on what was charged
    "USAGE_BUSY",  # depends on the queries under way
}


def refused_by_name(body):
    """Tells whether a refusal has a reason that the description cannot state.

    A violation of the type value_error comes of a check in code, such as a CSS
    length. Any other type has its counterpart in JSON Schema: if it is reported for
    a request that keeps to the description, then the two disagree.
    """
    if body.get("error") == "VALIDATION_ERROR":
        return all(violation["type"] == "value_error" for violation in body["detail"])
    if body.get("type", "").endswith("#job-failed"):  # a request waited for it: it has the job's code
        return True
    return body.get("error") in BY_NAME


@schemathesis.check
def valid_data_is_refused_by_name_only(ctx, response, case):
    """Holds requests that keep to the description against how they are answered."""
    if case.meta is None or not case.meta.generation.mode.is_positive or is_unexpected_http_status_case(case):
        return True
    if 200 <= response.status_code < 400:
        return None
    if not refused_by_name(response.json()):
        raise AssertionError(f"{response.status_code} for what the description allows: {response.text}")
    return None
