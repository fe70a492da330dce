-- Version 2. A row of the rollup sums up the entries of an account that occurred in the hour that begins at
-- "at": with an empty tag all of them, by key and operation; with the name of a tag those that have it, by its
-- value. The halves are those of ledger.Halves. A line is what an entry adds to one row.
CREATE TABLE usage_rollup (
  account TEXT NOT NULL,
  tag TEXT NOT NULL,
  at INTEGER NOT NULL,
  window_start INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  value TEXT NOT NULL,
  units_high INTEGER NOT NULL,
  units_low INTEGER NOT NULL,
  bytes_high INTEGER NOT NULL,
  bytes_low INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  PRIMARY KEY (account, tag, at, window_start, key_id, operation, value)
) STRICT, WITHOUT ROWID;
CREATE VIEW usage_line AS
SELECT entry_id, account, '' AS tag, occurred_at - occurred_at % 3600 AS at, window_start, key_id, operation, '' AS value,
  render_units / 4294967296 AS units_high, render_units % 4294967296 AS units_low, bytes / 4294967296 AS bytes_high, bytes % 4294967296 AS bytes_low
FROM usage_ledger
UNION ALL
SELECT entry_id, account, t.key, occurred_at - occurred_at % 3600, window_start, '', '', t.value,
  render_units / 4294967296, render_units % 4294967296, bytes / 4294967296, bytes % 4294967296
FROM usage_ledger, json_each(tags) AS t;
INSERT INTO usage_rollup
SELECT account, tag, at, window_start, key_id, operation, value, sum(units_high), sum(units_low), sum(bytes_high), sum(bytes_low), count(*)
FROM usage_line GROUP BY 1, 2, 3, 4, 5, 6, 7;
-- The ledger deletes nothing. What is deleted behind its back, and then appended again, counts once.
CREATE TRIGGER usage_ledger_lost BEFORE DELETE ON usage_ledger BEGIN
  INSERT INTO usage_rollup
  SELECT account, tag, at, window_start, key_id, operation, value, -units_high, -units_low, -bytes_high, -bytes_low, -1
  FROM usage_line WHERE entry_id = old.entry_id
  ON CONFLICT DO UPDATE SET units_high = units_high + excluded.units_high, units_low = units_low + excluded.units_low,
    bytes_high = bytes_high + excluded.bytes_high, bytes_low = bytes_low + excluded.bytes_low, entries = entries + excluded.entries;
END;
