"""Asks the published library: for each line, a webhook in JSON, it prints ok or no."""

import base64
import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

for line in sys.stdin.buffer:
    w = json.loads(line)
    headers = {"webhook-id": w["id"], "webhook-timestamp": w["timestamp"], "webhook-signature": w["signature"]}
    try:
        Webhook(w["secret"]).verify(base64.b64decode(w["body_base64"]), headers)
        print("ok")
    except WebhookVerificationError:
        print("no")
