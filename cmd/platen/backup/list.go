package backup

import (
	"context"
	"time"

	"platen.dev/store"
)

// Listed is a backup as described by its manifest.
type Listed struct {
	Ref     Ref       `json:"ref"`
	Taken   time.Time `json:"taken"`
	Node    string    `json:"node"`
	Version string    `json:"version"`
	Secrets []string  `json:"secrets"`
	// Rows and Files count its rows and files, Missing the files deleted before they could be copied.
	Rows      int64 `json:"rows"`
	RowBytes  int64 `json:"row_bytes"`
	Files     int64 `json:"files"`
	FileBytes int64 `json:"file_bytes"`
	Missing   int64 `json:"missing"`
	// Error is why it is useless.
	Error string `json:"error,omitempty"`
}

// Describe sums up a manifest, or its read error if err is not nil.
func Describe(ref Ref, m Manifest, err error) Listed {
	l := Listed{Ref: ref, Taken: m.Taken, Node: m.Node, Version: m.Version, Secrets: m.Secrets}
	for _, p := range m.Partitions {
		l.Rows += p.Rows.Count
		l.RowBytes += p.Rows.Bytes
		l.Files += p.Files.Count
		l.FileBytes += p.Files.Bytes
		l.Missing += int64(len(p.Files.Missing))
	}
	if err != nil {
		l.Error = err.Error()
	}
	return l
}

// DescribeAll returns all backups at a place, newest first.
func DescribeAll(ctx context.Context, files store.Files) (all []Listed, err error) {
	refs, err := List(ctx, files)
	for _, ref := range refs {
		m, err := Open(ctx, files, ref)
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		all = append(all, Describe(ref, m, err))
	}
	return all, err
}
