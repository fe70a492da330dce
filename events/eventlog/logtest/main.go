package logtest

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main is called by a back end's TestMain. at returns the storage that a parent process
// has named by Storage.Where. Main ends the process, with an error if goroutines are
// left.
func Main(m *testing.M, at func(where string) Storage) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runChild(role, at(os.Getenv(whereVariable))))
	}
	flag.Parse()
	if !given("rapid.checks") {
		_ = flag.Set("rapid.checks", "20") // each check opens a log several times
	}
	goleak.VerifyTestMain(m)
}

func given(name string) bool {
	found := false
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
