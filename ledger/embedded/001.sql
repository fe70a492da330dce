-- Version 1. Times are seconds since 1970. Tags are a JSON object in the caller's order. The hash
-- is stored as a signed integer of the same 64 bits. A query reads one stretch of the first table.
CREATE TABLE usage_ledger (
  account TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  entry_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  kind INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  tags TEXT NOT NULL,
  window_start INTEGER NOT NULL,
  render_units INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  ref_entry TEXT NOT NULL,
  reason TEXT NOT NULL,
  schema_v INTEGER NOT NULL,
  src_topic TEXT NOT NULL,
  src_part INTEGER NOT NULL,
  src_offset INTEGER NOT NULL,
  row_hash INTEGER NOT NULL,
  ingested_at INTEGER NOT NULL,
  PRIMARY KEY (account, occurred_at, entry_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX usage_ledger_entry ON usage_ledger (entry_id);
CREATE INDEX usage_ledger_source ON usage_ledger (src_topic, src_part, src_offset);
CREATE TABLE ledger_batch (
  src_topic TEXT NOT NULL,
  src_part INTEGER NOT NULL,
  hi INTEGER NOT NULL,
  lo INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  render_units INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  xor_hash INTEGER NOT NULL,
  inserted_at INTEGER NOT NULL,
  PRIMARY KEY (src_topic, src_part, hi)
) STRICT, WITHOUT ROWID;
