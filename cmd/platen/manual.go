package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"platen.dev/cmd/platen/cli"
	"platen.dev/cmd/platen/manual"
	"platen.dev/deploy"
)

// writeManual runs `platen manual DIR`. The pages are of the day that SOURCE_DATE_EPOCH says, else of today.
func writeManual(args []string, stderr io.Writer) error {
	if len(args) != 1 {
		fmt.Fprintf(stderr, "platen: \"manual\" takes one DIR\n\n%s", usage())
		return cli.ErrUsage
	}
	day := time.Now()
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		day = time.Unix(seconds, 0)
	}
	book := manual.Book{Summary: summary, Notes: usageNotes, Commands: commands(), Config: deploy.Config, Version: release, Day: day.UTC()}
	for name, text := range book.Files() {
		path := filepath.Join(args[0], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
