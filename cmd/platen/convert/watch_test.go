package convert

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/events/testkit"
)

// What is saved while the first conversion runs is converted, too.
func TestSavedDuringTheFirstConversion(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "page.html")
	if err := os.WriteFile(input, []byte("<p>first"), 0o600); err != nil {
		t.Fatal(err)
	}
	bodies := make(chan string, 10)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "POST":
			b, _ := io.ReadAll(r.Body)
			if strings.Contains(string(b), "first") {
				if err := os.WriteFile(input, []byte("<p>the second"), 0o600); err != nil {
					t.Error(err)
				}
			}
			bodies <- string(b)
			fmt.Fprint(w, `{"job_id":"j"}`)
		case strings.HasSuffix(r.URL.Path, "/download"):
			fmt.Fprint(w, "%PDF")
		default:
			fmt.Fprint(w, `{"status":"done"}`)
		}
	}))
	defer h.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	c := &cobra.Command{}
	s := settings{server: h.URL, key: "sk", watch: true, problem: terminal.To(io.Discard), options: declare(c.Flags()), outputFlag: filepath.Join(dir, "page.pdf")}
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx, c, []string{input}) }()
	for _, want := range []string{"first", "the second"} {
		if got := testkit.Receive(t, bodies, "a conversion of "+want); !strings.Contains(got, want) {
			t.Errorf("%s was converted, want %s", got, want)
		}
	}
	interrupt()
	if err := testkit.Receive(t, ended, "the end of watching"); err != nil {
		t.Error(err)
	}
}
