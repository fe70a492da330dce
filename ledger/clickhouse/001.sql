-- Version 1. Nothing here is newer than ClickHouse 18.16. A row is an entry, maybe one of several
-- copies of it: whoever reads groups by entry_id. ledger_entry finds an entry by its id alone, so
-- that the same id with another content is noticed wherever it is.
CREATE TABLE IF NOT EXISTS usage_ledger (
  account String,
  entry_id String,
  job_id String,
  kind Enum8('debit' = 1, 'credit' = 2, 'adjust' = 3),
  key_id String,
  operation String,
  tag_k Array(String),
  tag_v Array(String),
  occurred_at DateTime('UTC'),
  window_start DateTime('UTC'),
  render_units Int64,
  bytes Int64,
  ref_entry String,
  reason String,
  schema_v UInt16,
  src_topic String,
  src_part Int32,
  src_offset Int64,
  row_hash UInt64,
  ingested_at DateTime('UTC')
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(occurred_at) ORDER BY (account, occurred_at, entry_id);
CREATE TABLE IF NOT EXISTS ledger_entry (
  entry_id String,
  row_hash UInt64
) ENGINE = ReplacingMergeTree ORDER BY (entry_id, row_hash) SETTINGS index_granularity = 1024;
CREATE TABLE IF NOT EXISTS ledger_batch (
  src_topic String,
  src_part Int32,
  lo Int64,
  hi Int64,
  entries UInt64,
  render_units Int64,
  bytes Int64,
  xor_hash UInt64,
  inserted_at DateTime('UTC')
) ENGINE = ReplacingMergeTree ORDER BY (src_topic, src_part, lo, hi);
