"""Computes the fingerprint of a quota window from public events: python fingerprint.py ACCOUNT WINDOW_START < events

Reads CloudEvents as JSON, one per line, as `platen events tail --once --json` prints them. WINDOW_START
is the window's start as the API shows it, such as 2026-03-02T08:00:00Z. Needs nothing but Python.
"""
import hashlib, json, sys

account, window = sys.argv[1], sys.argv[2][:19] + "Z"
entries = {}  # an event may come more than once: each entry counts once

for line in sys.stdin:
    event = json.loads(line)
    if event["type"] not in ("platen.usage.debited.v1", "platen.usage.adjusted.v1"):
        continue
    data = event["data"]
    if data["account"] != account or data["window_start"][:19] + "Z" != window:
        continue
    entries[data["entry_id"]] = [
        data["entry_id"], data.get("kind", "debit"), event["time"][:19] + "Z",  # cut to seconds
        data.get("job_id", ""), data.get("key_id", ""), data.get("operation", ""), data.get("ref_entry", ""),
        str(data["render_units"]), str(data["bytes"]),
    ]

digest = hashlib.sha256("\t".join(["platen-window-v1", account, window]).encode() + b"\n")
for entry in sorted(entries, key=str.encode):
    digest.update("\t".join(entries[entry]).encode() + b"\n")
print(digest.hexdigest())
