"""Prints what each account was charged: python usage.py BROKER:9092 (needs kafka-python)."""
import collections, json, sys

from kafka import KafkaConsumer

consumer = KafkaConsumer("platen.events", bootstrap_servers=sys.argv[1], auto_offset_reset="earliest",
                         enable_auto_commit=False, consumer_timeout_ms=5000)
read = collections.defaultdict(int)  # the number of the last event, by partition
total = collections.defaultdict(lambda: [0, 0])  # render units and bytes

for record in consumer:  # ends when nothing new has come for five seconds
    header = {name: value.decode() for name, value in record.headers}
    number = int(header["ce_sequence"])
    if number <= read[record.partition]:
        continue  # a repetition
    read[record.partition] = number
    if header["ce_type"] == "platen.usage.debited.v1":
        d = json.loads(record.value)
        charged = total[d["account"], d["window_start"], d["operation"]]
        charged[0] += d["render_units"]
        charged[1] += d["bytes"]

for key, (units, size) in total.items():
    print(*key, units, size)
