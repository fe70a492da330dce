"""The sample in Python of docs/WEBHOOKS.md.

Run as a program it answers the integration test: for each line, a webhook in JSON, it prints ok or no.
"""

import base64
import hashlib
import hmac
import json
import sys


def verify(secret: str, msg_id: str, timestamp: str, signatures: str, body: bytes, now: float) -> bool:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    try:
        sent = int(timestamp)
    except ValueError:
        return False
    if not key or not now - 300 <= sent <= now + 300:
        return False
    signed = f"{msg_id}.{timestamp}.".encode() + body
    want = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return any(hmac.compare_digest(want, got.encode()) for got in signatures.split())


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        w = json.loads(line)
        body = base64.b64decode(w["body_base64"])
        print("ok" if verify(w["secret"], w["id"], w["timestamp"], w["signature"], body, w["now"]) else "no")
