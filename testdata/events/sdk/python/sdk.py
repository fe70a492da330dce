"""Reads the topic platen.events with kafka-python and the CloudEvents SDK for Python, and prints
each event: its number, its type and its id. It ends after as many events as it is told to read.

sdk.py BROKER EVENTS
"""
import json
import sys

from cloudevents.kafka import KafkaMessage, from_binary
from kafka import KafkaConsumer

consumer = KafkaConsumer("platen.events", bootstrap_servers=sys.argv[1], auto_offset_reset="earliest", enable_auto_commit=False)
for _, record in zip(range(int(sys.argv[2])), consumer):
    e = from_binary(KafkaMessage(dict(record.headers), record.key, record.value), data_unmarshaller=json.loads)
    assert record.key.decode() == e.data["account"], e
    print(e["sequence"], e["type"], e["id"])
