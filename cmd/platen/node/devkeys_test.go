package node

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"platen.dev/events/apikey"
)

// The demo keys stay. A damaged file is named, with what to do; once it is deleted, there are new ones.
func TestDevSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dev-keys.json")
	made, err := devSecrets(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := devSecrets(path); err != nil || !reflect.DeepEqual(again, made) {
		t.Errorf("at the next start %v, %v", again, err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", "{}", "null", "[]", strings.Replace(string(good), apikey.Live, "", 1), `{"free": 7}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := devSecrets(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), "delete the file to get new ones") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if fresh, err := devSecrets(path); err != nil || reflect.DeepEqual(fresh, made) {
		t.Errorf("after the deletion: %v, %v", fresh, err)
	}
}
