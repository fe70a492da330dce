"""Prints what each account was charged in each quota window: python usage.py BROKER:9092 (needs kafka-python)."""
import collections, json, sys

from kafka import KafkaConsumer

consumer = KafkaConsumer("platen.events", bootstrap_servers=sys.argv[1], auto_offset_reset="earliest",
                         enable_auto_commit=False, consumer_timeout_ms=10000)
read = collections.defaultdict(int)  # the number of the last event, by partition
charges = collections.defaultdict(list)  # (number, data) by partition

for record in consumer:  # ends when nothing new has come for ten seconds
    try:
        header = {name: value.decode() for name, value in record.headers if value}
        number, kind, data = int(header["ce_sequence"]), header["ce_type"], json.loads(record.value)
    except (KeyError, TypeError, ValueError):
        continue  # not an event: another program's record
    if number <= read[record.partition]:
        continue  # a repetition
    read[record.partition] = number
    if kind in ("platen.usage.debited.v1", "platen.usage.adjusted.v1"):
        charges[record.partition].append((number, data))
    elif kind == "platen.timeline.begun.v1":  # what has a higher number never happened
        charges[record.partition] = [c for c in charges[record.partition] if c[0] <= data["after"]]

total = collections.defaultdict(lambda: [0, 0])  # render units and bytes
for _, d in sum(charges.values(), []):
    charged = total[d["account"], d["window_start"]]
    charged[0] += d["render_units"]
    charged[1] += d["bytes"]

for key, (units, size) in total.items():
    print(*key, units, size)
