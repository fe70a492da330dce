package edge

import (
	"context"
	"net"
	"reflect"
	"strings"
	"testing"
)

// An internal name gets the same refusal as one that does not exist. Addresses and localhost, which reveal nothing, are named as blocked.
func TestNamesInsideAreNotTold(t *testing.T) {
	answer := func(address string, err error) *problem {
		s := &submissions{jobs: &jobs{&front{cfg: &Config{Sources: Sources{Resolve: func(context.Context, string) error { return err }}}}}}
		return s.checkPage(address)
	}
	unknown := answer("http://db.internal/", &net.DNSError{Err: "no such host", IsNotFound: true})
	if inside := answer("http://db.internal/", ErrBlocked); unknown == nil || inside == ssrfBlocked || !reflect.DeepEqual(inside, unknown) {
		t.Errorf("inside: %+v, unknown: %+v", inside, unknown)
	}
	for _, host := range []string{"127.0.0.1", "[::1]", "localhost", "LocalHost", "localhost."} {
		if got := answer("http://"+host+"/", ErrBlocked); got != ssrfBlocked {
			t.Errorf("%s: %+v", host, got)
		}
	}
}

// Names are accepted up to the length that DNS allows, in the form that is looked up.
func TestLengthOfNames(t *testing.T) {
	label := strings.Repeat("a", 63)
	longest := strings.Join([]string{label, label, label, label[:61]}, ".") // 253 bytes
	for name, tc := range map[string]struct {
		host string
		good bool
	}{
		"the longest label":        {label + ".example", true},
		"a longer label":           {label + "a.example", false},
		"the longest name":         {longest, true},
		"the same with its root":   {longest + ".", true},
		"a longer name":            {"a" + longest[:len(longest)-62] + "." + label[:62], false},
		"a label that grows":       {strings.Repeat("ä", 60) + ".example", false},
		"long, but of few letters": {"xn--" + strings.Repeat("ﬗ", 40), false},
	} {
		host, wrong := pageHost("http://" + tc.host + "/")
		if (wrong == "") != tc.good || (host == "") == tc.good {
			t.Errorf("%s: host %q, wrong %q", name, host, wrong)
		}
	}
}
