package cluster

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rendered returns a file of the roles as a host with the address ADDRESS has it.
func rendered(t *testing.T, file string) string {
	t.Helper()
	return strings.ReplaceAll(read(t, filepath.Join("roles", file)), "{{ address }}", "ADDRESS")
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// listener is a row of the table.
type listener struct {
	what, at, proof string
	protocols, who  []string
}

// debians are set up by Debian, not by a template.
func (l listener) debians() bool { return strings.Contains(l.what, "as Debian has it") }

func (l listener) port() string { return l.at[strings.LastIndex(l.at, ":")+1:] }

// table is the one in the README, by where it listens.
func table(t *testing.T) map[string]listener {
	t.Helper()
	all := map[string]listener{}
	for _, m := range regexp.MustCompile("(?m)^\\| ([^|]+) \\| `([^`]+:\\d+)`(?: \\(([a-z, ]+)\\))? \\| ([^|]+) \\| ([^|]+) \\|$").FindAllStringSubmatch(read(t, "../README.md"), -1) {
		l := listener{what: m[1], at: m[2], proof: m[5], protocols: []string{"tcp"}, who: strings.Split(strings.ReplaceAll(m[4], "`", ""), ", ")}
		if m[3] != "" {
			l.protocols = strings.Split(m[3], ", ")
		}
		all[l.at] = l
	}
	if len(all) < 10 {
		t.Fatalf("the README has %d listeners", len(all))
	}
	return all
}

// where says where each service listens.
var where = []struct{ file, listens string }{
	{"proxy/templates/haproxy.cfg", `(?m)^\s+bind (\S*:\d+)`},
	{"platen/vars/main.yml", `(?m)^    (?:listen|ops|gossip|actors): "(\S+:\d+)"`},
	{"kafka/templates/server.properties", `(?m)(?:^listeners=|,)[A-Z]+://(ADDRESS:\d+)`},
	{"ledger/templates/config.xml", `<tcp_port_secure>(\d+)</`},
	{"storage/templates/storage.service", `--port (\S+:\d+)`},
}

// proofs are what must be set, or must not (!), for the table to be true of it.
var proofs = map[string][]struct{ file, set string }{
	"*:443":        {{"proxy/templates/haproxy.cfg", `bind :443 ssl crt`}, {"proxy/templates/haproxy.cfg", `!(?m)^\s*(stats|listen)\b`}},
	"ADDRESS:8080": {{"platen/vars/main.yml", `tls: \{cert_file: \S+, key_file: \S+\}`}},
	"ADDRESS:7946": {{"platen/vars/main.yml", `    secret: `}},
	"ADDRESS:7947": {{"platen/vars/main.yml", `    ca_file: /etc/platen/ca.pem`}},
	"ADDRESS:9092": {{"kafka/templates/server.properties", `(?m)^ssl.client.auth=required$`}, {"kafka/templates/server.properties", `!PLAINTEXT`}},
	"ADDRESS:9093": {{"kafka/templates/server.properties", `(?m)^listener.security.protocol.map=INTERNAL:SSL,CONTROLLER:SSL$`}},
	"ADDRESS:9440": {
		{"ledger/templates/config.xml", `<listen_host replace="replace">ADDRESS</listen_host>`},
		{"ledger/templates/config.xml", `<tcp_port remove="1"/>\s*<http_port remove="1"/>\s*<interserver_http_port remove="1"/>`},
		{"ledger/templates/config.xml", `<verificationMode>strict</verificationMode>`},
		{"ledger/templates/users.xml", `<default remove="remove"/>`},
		{"ledger/templates/users.xml", `<password_sha256_hex>`},
	},
	"ADDRESS:7070": {{"storage/templates/storage.service", `--cert \S+ --key \S+`}, {"storage/templates/storage.service", `!--(admin-port|webui|metrics)`}},
}

// The table of the README has every place where the templates listen, and no other, and what keeps others away there is set.
func TestListeners(t *testing.T) {
	rows := table(t)
	var got, want []string
	for _, w := range where {
		found := regexp.MustCompile(w.listens).FindAllStringSubmatch(rendered(t, w.file), -1)
		if len(found) == 0 {
			t.Errorf("%s listens nowhere", w.file)
		}
		for _, m := range found {
			at := m[1]
			if strings.HasPrefix(at, ":") {
				at = "*" + at
			}
			if !strings.Contains(at, ":") {
				at = "ADDRESS:" + at
			}
			got = append(got, at)
		}
	}
	for at, row := range rows {
		if !row.debians() {
			want = append(want, at)
		}
		for _, p := range proofs[at] {
			set, unset := strings.CutPrefix(p.set, "!")
			if regexp.MustCompile(set).MatchString(rendered(t, p.file)) == unset {
				t.Errorf("%s (%s) is not proved as %q: %s has %q %t", row.what, at, row.proof, p.file, set, unset)
			}
		}
		if _, known := proofs[at]; !known && !row.debians() && !strings.HasPrefix(row.proof, "not at all") {
			t.Errorf("nothing shows that %s is proved by %q", row.what, row.proof)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the templates listen on\n%q, the README says\n%q", got, want)
	}
}

// The firewall lets those in, and no others, of whom the table says that they may connect.
func TestFirewall(t *testing.T) {
	rule := regexp.MustCompile(`(?m)^\t\t(tcp|udp) dport (\d+|\{ [\d, ]+ \})(?: ip saddr (@hosts|\{ \{\{ (\w+) .*\}\} \}))? accept`)
	text := rendered(t, "host/templates/nftables.conf")
	if !strings.Contains(text, "policy drop;") || !strings.Contains(text, "table inet platen {") {
		t.Error("the firewall does not keep everybody away, over IPv4 and IPv6")
	}
	found := rule.FindAllStringSubmatch(text, -1)
	if rules := strings.Count(text, " dport "); len(found) != rules {
		t.Errorf("%d of %d rules are understood", len(found), rules)
	}
	got, want := map[string][]string{}, map[string][]string{}
	for _, m := range found {
		who := map[string]string{"": "everybody", "@hosts": "the hosts"}[m[3]]
		if m[4] != "" {
			who = m[4]
		}
		for _, port := range regexp.MustCompile(`\d+`).FindAllString(m[2], -1) {
			got[port+"/"+m[1]] = append(got[port+"/"+m[1]], who)
		}
	}
	for _, row := range table(t) {
		for _, protocol := range row.protocols {
			if !strings.HasPrefix(row.at, "127.") {
				want[row.port()+"/"+protocol] = row.who
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(got)) {
		slices.Sort(got[at])
	}
	for at, who := range want {
		slices.Sort(who)
		if !slices.Equal(got[at], who) {
			t.Errorf("the firewall lets %q to %s, the README says %q", got[at], at, who)
		}
	}
	for at, who := range got {
		if want[at] == nil {
			t.Errorf("the firewall lets %q to %s, which the README does not name", who, at)
		}
	}
}
