package projections

import (
	"os"
	"regexp"
	"testing"

	"platen.dev/events"
)

// Stores of this schema have these keys. If they change, raise schema.
func TestKeysOfTables(t *testing.T) {
	id := events.JobID([]byte("0123456789abcdef"))
	for want, got := range map[string][]byte{
		"j\x01\x020123456789abcdef":         jobKey(258, id),
		"a\x01\x02acc":                      accountKey(258, "acc"),
		"k0123456789abcdef0123456789abcdef": apiKeyKey([32]byte([]byte("0123456789abcdef0123456789abcdef"))),
		"t\x01\x02acc\x00tpl":               templateKey(258, "acc", "tpl"),
		"l\x01\x02acc\x00\xff\xff\xff\xff\xff\xff\xfe\xfc0123456789abcdef": listedKey(258, "acc", Place{259, id}),
		"c\x01\x02": cursorKey(258),
	} {
		if string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Every table has a name of its own, over the packages that have tables.
func TestNamesOfTables(t *testing.T) {
	declaration := regexp.MustCompile(`(?m)^var (\w+)\s*= (?:table\.)?Table\[.*\]\{(?:Name: )?'(.)'\}`)
	tables := map[string]string{}
	for _, file := range []string{"tables.go", "table/team.go", "table/reply.go", "../actors/account/tables.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllStringSubmatch(string(source), -1) {
			table, name := file+" "+m[1], m[2]
			if other, taken := tables[name]; taken {
				t.Errorf("%s and %s have the same name %s", other, table, name)
			}
			tables[name] = table
		}
	}
	if len(tables) < 12 {
		t.Errorf("found %d tables, want at least 12", len(tables))
	}
}
