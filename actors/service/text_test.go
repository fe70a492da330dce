package service

import (
	"strings"
	"testing"
)

// A name that is too long in bytes is not refused as one of too many characters, which it may not have.
func TestNamesInBytes(t *testing.T) {
	name := strings.Repeat("ü", 59)
	_, _, key := Keys{}.Make(Principal{}, NewKey{Name: name})
	_, passkey := PasskeyName(name)
	template := Templates{}.Put(Principal{}, "tpl", strings.Repeat("ü", 199), nil)
	for _, err := range []error{key, passkey, template} {
		if err == nil || strings.Contains(err.Error(), "characters") || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("%v", err)
		}
	}
}
