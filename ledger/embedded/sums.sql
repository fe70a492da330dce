-- Version 1 of the file of sums. A mark says that all entries of a partition whose offset is below next are
-- in the sums, and how many those are, with the sum of their times. State is 0 for an account whose entries
-- are only counted, 1 for one that has sums, 2 for one whose sums are to be made anew. A cell sums up the
-- entries of an account in span seconds from at on, by their value in a dimension ('' is none of them). The
-- halves are those of ledger.Halves. A wide dimension has too many values, and no cells.
CREATE TABLE sums_mark (
  src_topic TEXT NOT NULL,
  src_part INTEGER NOT NULL,
  next INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (src_topic, src_part)
) STRICT, WITHOUT ROWID;
CREATE TABLE sums_account (
  account TEXT NOT NULL PRIMARY KEY,
  entries INTEGER NOT NULL,
  state INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sums_stale ON sums_account (account) WHERE state = 2;
CREATE TABLE sums_wide (
  account TEXT NOT NULL,
  dimension TEXT NOT NULL,
  PRIMARY KEY (account, dimension)
) STRICT, WITHOUT ROWID;
CREATE TABLE sums_cell (
  account TEXT NOT NULL,
  dimension TEXT NOT NULL,
  span INTEGER NOT NULL,
  at INTEGER NOT NULL,
  window_start INTEGER NOT NULL,
  value TEXT NOT NULL,
  units_high INTEGER NOT NULL,
  units_low INTEGER NOT NULL,
  bytes_high INTEGER NOT NULL,
  bytes_low INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  PRIMARY KEY (account, dimension, span, at, window_start, value)
) STRICT, WITHOUT ROWID;
