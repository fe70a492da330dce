"""Reads the topic platen.events with confluent-kafka, which is librdkafka, and prints each event from
its headers: its number, its type and its id. It ends after as many events as it is told to read.

confluent.py BROKER EVENTS
"""
import json
import sys

from confluent_kafka import Consumer

consumer = Consumer({"bootstrap.servers": sys.argv[1], "group.id": "confluent", "auto.offset.reset": "earliest", "enable.auto.commit": False})
consumer.subscribe(["platen.events"])
for _ in range(int(sys.argv[2])):
    record = consumer.poll(30)
    assert record is not None, "no event within 30 seconds"
    assert record.error() is None, record.error()
    headers = {name: value.decode() for name, value in record.headers()}
    assert headers["ce_specversion"] == "1.0" and headers["content-type"] == "application/json", headers
    assert json.loads(record.value())["account"] == record.key().decode(), record.value()
    print(headers["ce_sequence"], headers["ce_type"], headers["ce_id"])
consumer.close()
