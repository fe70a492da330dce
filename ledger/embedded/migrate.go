package embedded

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
)

//go:embed 001.sql
var first string

//go:embed 002.sql
var second string

// application marks the file of a ledger: "PLed".
const application = 0x504c6564

// migrations holds the statements that lead from each version to the next. A released one never
// changes.
var migrations = []string{first, second}

// migrate brings a file to the newest version, in one transaction. Afterwards its schema is exactly
// what the migrations make: a trigger or a view in a file from elsewhere could change what is read.
func migrate(ctx context.Context, db *sql.DB, to []string) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		version, err := versionOf(ctx, tx, len(to))
		if err != nil {
			return err
		}
		for ; version < len(to); version++ {
			if err := step(ctx, tx, version, to[version]); err != nil {
				return fmt.Errorf("migrate from version %d: %w", version, err)
			}
		}
		return checkSchema(ctx, tx, to)
	})
}

// step leads from a version to the next.
func step(ctx context.Context, tx *sql.Tx, version int, statements string) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", statements, application, version+1))
	return err
}

// versionOf returns the version of a file, 0 for an empty one. One beyond newest is refused.
func versionOf(ctx context.Context, tx *sql.Tx, newest int) (int, error) {
	var id, version, objects int
	err := tx.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_schema").
		Scan(&id, &version, &objects)
	switch {
	case err != nil:
		return 0, err
	case id == 0 && version == 0 && objects == 0:
		return 0, nil
	case id != application || version < 1:
		return 0, errors.New("the file is a database of something else")
	case version > newest:
		return 0, fmt.Errorf("it has version %d, this program knows versions up to %d: use a newer one", version, newest)
	}
	return version, nil
}

func checkSchema(ctx context.Context, tx *sql.Tx, statements []string) error {
	model, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer model.Close()
	model.SetMaxOpenConns(1) // each connection has a memory of its own
	for _, s := range statements {
		if _, err := model.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	const all = "SELECT count(*), ifnull(group_concat(type || ' ' || name || ': ' || ifnull(sql, ''), char(10)), '') FROM (SELECT * FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name)"
	var have, want string
	var objects int
	if err := tx.QueryRowContext(ctx, all).Scan(&objects, &have); err != nil {
		return err
	}
	if err := model.QueryRowContext(ctx, all).Scan(&objects, &want); err != nil {
		return err
	}
	if have != want {
		return fmt.Errorf("its tables are not those of version %d: somebody has changed them", len(statements))
	}
	return nil
}
