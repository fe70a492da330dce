"""Prints what each account was charged in each quota window: python usage.py BROKER:9092 (needs kafka-python)."""
import collections, json, sys

from kafka import KafkaConsumer

consumer = KafkaConsumer("platen.events", bootstrap_servers=sys.argv[1], auto_offset_reset="earliest",
                         enable_auto_commit=False, consumer_timeout_ms=10000)
read = collections.defaultdict(int)  # the number of the last event, by partition
charges = collections.defaultdict(list)  # (number, data) by partition

for record in consumer:  # ends when nothing new has come for ten seconds
    header = {name: value.decode() for name, value in record.headers}
    number = int(header["ce_sequence"])
    if number <= read[record.partition]:
        continue  # a repetition
    read[record.partition] = number
    if header["ce_type"] in ("platen.usage.debited.v1", "platen.usage.adjusted.v1"):
        charges[record.partition].append((number, json.loads(record.value)))
    elif header["ce_type"] == "platen.timeline.begun.v1":  # what has a higher number never happened
        after = json.loads(record.value)["after"]
        charges[record.partition] = [c for c in charges[record.partition] if c[0] <= after]

total = collections.defaultdict(lambda: [0, 0])  # render units and bytes
for _, d in sum(charges.values(), []):
    charged = total[d["account"], d["window_start"]]
    charged[0] += d["render_units"]
    charged[1] += d["bytes"]

for key, (units, size) in total.items():
    print(*key, units, size)
