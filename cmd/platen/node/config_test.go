package node

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen.dev/events/secret"
)

const sample = "../../../deploy/platen.toml"

// TestSample loads the sample configuration. It must have the default values, and every
// field.
func TestSample(t *testing.T) {
	got, err := LoadConfig(sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if want := NewConfig(); !reflect.DeepEqual(withoutEmpty(got), want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	text, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range fields(reflect.TypeFor[Config]()) {
		if !strings.Contains(string(text), "\n"+field) {
			t.Errorf("%s does not show %q", sample, field)
		}
	}
}

// withoutEmpty replaces empty lists by nil.
func withoutEmpty(c Config) Config {
	if len(c.EgressAllow) == 0 {
		c.EgressAllow = nil
	}
	if len(c.EgressDeny) == 0 {
		c.EgressDeny = nil
	}
	if len(c.EgressPorts) == 0 {
		c.EgressPorts = nil
	}
	if len(c.Connections.TrustedProxies) == 0 {
		c.Connections.TrustedProxies = nil
	}
	if len(c.Kafka.Brokers) == 0 {
		c.Kafka.Brokers = nil
	}
	if len(c.Cluster.Join) == 0 {
		c.Cluster.Join = nil
	}
	if len(c.Cluster.FormerSecrets) == 0 {
		c.Cluster.FormerSecrets = nil
	}
	return c
}

// fields returns the beginning of each setting's and section's line.
func fields(config reflect.Type) (all []string) {
	for i := range config.NumField() {
		name := config.Field(i).Tag.Get("toml")
		if inner := config.Field(i).Type; config.Field(i).Anonymous {
			all = append(all, fields(inner)...)
			continue
		} else if inner.Kind() == reflect.Struct {
			all = append(append(all, "["+name+"]"), fields(inner)...)
			continue
		}
		all = append(all, name+" = ")
	}
	return all
}

// TestBadConfig checks that each setting that a node cannot use is refused by name.
func TestBadConfig(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`listen = "8080"`, "listen: must be host:port"},
		{`docs_url = "nonsense"`, `docs_url: "nonsense" `},
		{`docs_url = ""`, `docs_url: "" `},
		{`docs_url = "ftp://a.example/errors"`, `docs_url: "ftp://a.example/errors" `},
		{`docs_url = "https://a.example/errors#all"`, "must end without a fragment"},
		{`upgrade_url = "/pricing"`, `upgrade_url: "/pricing" `},
		{`data = ""`, "data: must name a directory"},
		{`partitions = 0`, "partitions: must be 1 to 4096, not 0"},
		{`partitions = 5000`, "partitions: must be 1 to 4096, not 5000"},
		{`partitions = "many"`, "partitions: must be a whole number"},
		{`reserve_mb = -1`, "reserve_mb: must not be negative"},
		{`egress_ports = ["http"]`, `"http" is neither a port nor a range of ports`},
		{`egress_deny = ["fe80::1%eth0"]`, `egress_deny: "fe80::1%eth0" is an address, not a range; write fe80::1/128`},
		{`egress_deny = [1]`, `"1" is not an address range; write it as 10.0.0.0/8`},
		{`egress_deny = [""]`, "egress_deny: one of the address ranges is empty"},
		{"[kafka]\ntls = true\nuser = \"platen\"\npassword = \"x\"\nsasl = \"plain\"", "kafka.brokers: the section [kafka] needs them"},
		{`egress_deny = ["::ffff:10.0.0.0/104"]`, "egress_deny: ::ffff:10.0.0.0/104 matches no address: write a range of IPv4 addresses as 10.0.0.0/8"},
		{"[connections]\ntrusted_proxies = [\"\"]", "connections.trusted_proxies: one of the address ranges is empty"},
		{"[ledger]\nuser = \"platen\"", "clickhouse: the section [ledger] needs it"},
		{"[cluster]\ncert_file = \"/x\"", "cluster.gossip: cluster.actors, cluster.join and the certificate files need it"},
		{`drain_seconds = -1`, "drain_seconds: must not be negative"},
		{`clickhouse = "there"`, `clickhouse, [ledger]: addresses: "there" is not host:port`},
		{`clickhouse = "a:9000,"`, `addresses: "" is not host:port`},
		{"clickhouse = \"a:9000\"\n[ledger]\ndatabase = \"\"", "database:"},
		{"clickhouse = \"a:9000\"\n[ledger]\ncluster = \"a b\"", "cluster:"},
		{"clickhouse = \"a:9000\"\n[ledger]\nca_file = \"/x\"", "ca_file, cert_file, key_file: they need tls"},
		{"clickhouse = \"a:9000\"\n[ledger]\ntls = true\ncert_file = \"/x\"", "[ledger]: cert_file, key_file: both are needed"},
		{"[tracing]\nsample = -0.1", "tracing.sample: must be 0 to 1, not -0.1"},
		{"[tracing]\nsample = 1.1", "tracing.sample: must be 0 to 1, not 1.1"},
		{"[tracing]\nendpoint = \"collector:4318\"", "tracing.endpoint: must be https://host:port"},
		{"[tracing]\nendpoint = \"ftp://collector\"", "tracing.endpoint: must be https://host:port"},
		{"[tracing]\nendpoint = \"https://\"", "tracing.endpoint: must be https://host:port"},
		{"[tracing]\nendpoint = \"https://me:token@collector\"", "tracing.endpoint: must be https://host:port"},
		{"[tracing]\nendpoint = \"https://collector/?key=token\"", "tracing.endpoint: must be https://host:port"},
		{"[tracing]\nendpoint = \"http://collector\"\nca_file = \"/x\"", "[tracing] ca_file, cert_file, key_file: they need tls"},
		{"[tracing]\nendpoint = \"https://collector\"\ncert_file = \"/x\"", "[tracing] cert_file, key_file: both are needed"},
		{"[oidc]\nclient_id = \"a\"", "oidc.issuer: the section [oidc] needs one"},
		{"[oidc]\nissuer = \"http://login.example\"", "oidc.issuer: must be an https URL"},
		{"[oidc]\nissuer = \"https://a:b@login.example\"", "oidc.issuer: must be an https URL"},
		{"[oidc]\nissuer = \"https://login.example/?x=1\"", "oidc.issuer: must be an https URL"},
		{"[oidc]\nissuer = \"https://login.example\"\nclient_id = \"a\"", "oidc.client_id, oidc.client_secret: both are needed"},
		{"[oidc]\nissuer = \"http://localhost:1\"\nclient_id = \"a\"\nclient_secret = \"b\"\nca_file = \"/x\"", "oidc.ca_file: needs an https issuer"},
		{"[oidc]\nissuer = \"https://login.example\"\nclient_id = \"a\"\nclient_secret = \"b\"", "public_url: [oidc] needs it: set it to where browsers reach"},
		{"[mail]\nserver = \"mx:587\"\nfrom = \"a@b.example\"", "public_url: [mail] needs it: set it to where browsers reach"},
		{"[mail]\nfrom = \"a@b.example\"", "mail.server: the section [mail] needs one"},
		{"[mail]\nserver = \"mx\"\nfrom = \"a@b.example\"", "mail.server: must be host:port"},
		{"[mail]\nserver = \"mx:smtp\"\nfrom = \"a@b.example\"", "[mail] server: port \"smtp\" is not a number"},
		{"[mail]\nserver = \"mx:587\"\nfrom = \"platen\"", "[mail] from:"},
		{"[mail]\nserver = \"mx:587\"\nfrom = \"a@b.example\"\nsecurity = \"ssl\"", "mail.security: must be starttls, tls or none"},
		{"[mail]\nserver = \"mx:25\"\nfrom = \"a@b.example\"\nsecurity = \"none\"", "mail.security: none is for a server on this machine"},
		{"[mail]\nserver = \"localhost:25\"\nfrom = \"a@b.example\"\nsecurity = \"none\"\nuser = \"a\"\npassword = \"b\"", "mail.user: is not shown in clear"},
		{"[mail]\nserver = \"mx:587\"\nfrom = \"a@b.example\"\nuser = \"a\"", "mail.user, mail.password: one needs the other"},
		{`log_level = "loud"`, "log_level: must be debug, info, warn or error"},
		{`log_format = "xml"`, "log_format: must be text or json"},
		{`egress_allow = ["10.0.0.0"]`, `egress_allow: "10.0.0.0" is an address, not a range; write 10.0.0.0/32`},
		{`egress_allow = ["10.0.0.0/33"]`, `egress_allow: "10.0.0.0/33" is not an address range; write it as 10.0.0.0/8`},
		{"[kafka]\nbrokers = [\"one\"]", "kafka.brokers: must be host:port"},
		{"[kafka]\nreplication_factor = 0", "kafka.replication_factor: must be at least 1"},
		{"[kafka]\nsession_seconds = 0", "kafka.session_seconds: must be at least 1"},
		{"[kafka]\ncommands_hours = 1", "kafka.commands_hours: must be at least 24"},
		{"[kafka]\nca_file = \"/x\"", "[kafka] ca_file, cert_file, key_file: they need tls"},
		{"[kafka]\ntls = true\ncert_file = \"/x\"", "[kafka] cert_file, key_file: both are needed"},
		{"[kafka]\nsasl = \"gssapi\"", "[kafka] sasl: must be plain, scram-sha-256, scram-sha-512 or empty"},
		{"[kafka]\nsasl = \"scram-sha-512\"\nuser = \"u\"", "[kafka] user, password: both are needed with sasl"},
		{"[kafka]\nuser = \"u\"", "[kafka] user, password: they need sasl"},
		{"[kafka]\nsasl = \"plain\"\nuser = \"u\"\npassword = \"p\"", "[kafka] sasl: plain shows the password to the network"},
		{`files = "ftp://host/dir"`, "files: must be a directory or s3://bucket/prefix"},
		{`files = "s3:/bucket/prefix"`, "files: must be a directory or s3://bucket/prefix"},
		{`files = "~/results"`, "files: nobody replaces the ~ here"},
		{"[history]\nfiles = \"s3:bucket\"", "history.files: must be a directory or s3://bucket/prefix"},
		{"data = \"/d\"\nfiles = \"/d/work\"", "files: /d/work is where the node keeps other things"},
		{"data = \"/d\"\nfiles = \"/d/log.salvaged/x\"", "files: /d/log.salvaged/x is where"},
		{"data = \"/d\"\nfiles = \"/d/../d/\"", "files: /d/../d/ is the data directory, or contains it"},
		{"data = \"/d/e\"\nfiles = \"/d\"", "files: /d is the data directory, or contains it"},
		{"data = \"/d\"\n[history]\nfiles = \"/d/replica-2\"", "history.files: /d/replica-2 is where"},
		{`files = "s3://"`, "files: the bucket must have a name"},
		{`files = "s3:///bucket"`, "files: the bucket must have a name of 3 to 63 lower-case letters, digits, dots and dashes, as in s3://bucket/prefix"},
		{`files = "s3://ab"`, "files: the bucket must have a name"},
		{`files = "s3://` + strings.Repeat("a", 64) + `"`, "files: the bucket must have a name"},
		{`files = "s3://Upper/p"`, "files: the bucket must have a name"},
		{`files = "s3://bucket//p"`, "files: the prefix must be made of"},
		{`files = "s3://bucket/../p"`, "files: the prefix must be made of"},
		{`files = "s3://buck.et/p"`, "s3.path_style: must be true for a bucket with a dot"},
		{"[s3]\nendpoint = \"host:9000\"", "s3.endpoint: must be https://host"},
		{"[s3]\nendpoint = \"https://host/path\"", "s3.endpoint: must be https://host"},
		{"[s3]\nendpoint = \"https://key:secret@host\"", `not "…@host"`},
		{"[s3]\nregion = \"\"", "s3.region: must name a region"},
		{"[s3]\nsse = \"rot13\"", "s3.sse: must be AES256, aws:kms or empty"},
		{"[s3]\nsse = \"AES256\"\nkms_key = \"k\"", "s3.kms_key: needs sse"},
		{"[cluster]\njoin = [\"127.0.0.1:1\"]", "cluster.gossip: cluster.actors, cluster.join and the certificate files need it"},
		{"[cluster]\ngossip = \"127.0.0.1:1\"", "cluster.actors: must be host:port"},
		{"[cluster]\ngossip = \"127.0.0.1:1\"\nactors = \"127.0.0.1:2\"", "kafka.brokers: a cluster needs a shared log"},
		{"[cluster]\ngossip = \"127.0.0.1:1\"\nsecret = \"r7Kq2mXv9TzLp4Wd\"\nnext_secret = \"short\"", "cluster.next_secret: the secret is too weak: it has 5 characters"},
		{"[cluster]\ngossip = \"127.0.0.1:1\"\nsecret = \"r7Kq2mXv9TzLp4Wd\"\nformer_secrets = [\"\"]", "cluster.former_secrets: one of them is empty"},
		{"[cluster]\ngossip = \"127.0.0.1:1\"\nsecret = \"short\"", "cluster.secret: the secret is too weak: it has 5 characters"},
		{"[cluster]\nsecret = \"r7Kq2mXv9TzLp4W\"", "cluster.secret: the secret is too weak: it has 15 characters"},
		{"[cluster]\nsecret = \"r7Kq2mXv9TzLp4Wd\"\nnext_secret = \"short\"", "cluster.next_secret: the secret is too weak: it has 5 characters"},
		{"[cluster]\nsecret = \"r7Kq2mXv9TzLp4Wd\"\nformer_secrets = [\"\"]", "cluster.former_secrets: one of them is empty"},
		{"[cluster]\nformer_secrets = [\"r7Kq2mXv9TzLp4Wd\"]", "cluster.next_secret, cluster.former_secrets, cluster.seal_key: they need cluster.secret"},
		{"[cluster]\nnext_secret = \"r7Kq2mXv9TzLp4Wd\"", "cluster.next_secret, cluster.former_secrets, cluster.seal_key: they need cluster.secret"},
		{"[cluster]\ngossip = \"127.0.0.1:1\"\nactors = \"127.0.0.1:2\"\n[kafka]\nbrokers = [\"a:1\"]", "cluster.secret: a cluster needs one that cannot be guessed, and --secret-file reads it from a file: `platen admin cluster secret` prints"},
		{"[cluster]\ngossip = \"127.0.0.1:1\"\nsecret = \"0123456789abcdef\"", "put it first into cluster.former_secrets"},
		{"[cluster]\ngossip = \"127.0.0.1:1\"\ncert_file = \"/x\"\nkey_file = \"/y\"", "cluster.cert_file, cluster.key_file, cluster.ca_file: all three are needed, or none"},
		{"[browser]\nslots = -1", "browser.slots: must not be negative"},
		{"[browser]\nremotes = -1", "browser.remotes: must not be negative"},
		{"[browser]\ncpu_seconds = -1", "browser.cpu_seconds: must not be negative"},
		{"[browser]\nmemory_mb = 511", "browser.memory_mb: must be at least 512"},
		{`colour = "blue"`, "platen.toml:1: there is no setting colour"},
		{"[browser]\nspeed = 9", "platen.toml:2: there is no setting browser.speed"},
		{"[browsers]\nslots = 9\n[a.b]", "platen.toml:1: there is no section [browsers]"},
		{"[browsers]\nslots = 9\n[a.b]", "platen.toml:3: there is no section [a.b]"},
		{`listen = `, "platen.toml:1: not valid TOML: expected value"},
		{"dev = true\ndev = true", "platen.toml:2: dev: key dev is already defined"},
		{`listen = 8080`, "platen.toml:1: listen: must be text in quotes"},
		{`dev = "yes"`, "platen.toml:1: dev: must be true or false"},
		{"[browser]\nslots = 1.5", "platen.toml:2: browser.slots: must be a whole number"},
		{"[tracing]\nsample = \"1\"", "platen.toml:2: tracing.sample: must be a number"},
		{"[kafka]\nbrokers = \"a:1\"", "platen.toml:2: kafka.brokers: must be a list, as ["},
		{"browser = 1", "platen.toml:1: browser: must be a section, [browser]"},
		{"[[browser]]\nslots = 1", "platen.toml:1: browser: must be a section, [browser]"},
		{`partitions = 99999999999`, "platen.toml:1: partitions: the number is too large"},
		{`drain_seconds = 99999999999999999999`, "platen.toml:1: drain_seconds: the number is too large"},
		{"\xff\xfel\x00", "is encoded in UTF-16"},
	} {
		file := filepath.Join(t.TempDir(), "platen.toml")
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := LoadConfig(file)
		if err == nil {
			err = cfg.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: got %v, want an error with %q", tc.text, err, tc.want)
		}
	}
}

// A configuration may begin with a byte order mark.
func TestMarkedConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "platen.toml")
	if err := os.WriteFile(file, []byte("\ufefflisten = \":1\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if cfg, err := LoadConfig(file); err != nil || cfg.Listen != ":1" {
		t.Errorf("got %q, %v", cfg.Listen, err)
	}
}

// Valid places of results are accepted, and interpreted correctly.
func TestFiles(t *testing.T) {
	for _, tc := range []struct{ files, dir, bucket, prefix string }{
		{"", "data/files", "", ""},
		{"/mnt/platen", "/mnt/platen", "", ""},
		{"/mnt/s3:/platen", "/mnt/s3:/platen", "", ""},
		{"./s3:/platen", "./s3:/platen", "", ""},
		{"s3://abc", "", "abc", ""},
		{"s3://abc/", "", "abc", ""},
		{"s3://" + strings.Repeat("a", 63) + "/p", "", strings.Repeat("a", 63), "p"},
		{"s3://acme-results/platen/files/", "", "acme-results", "platen/files"},
	} {
		cfg := NewConfig()
		cfg.Files = tc.files
		if err := cfg.Validate(); err != nil {
			t.Errorf("%q: %v", tc.files, err)
		}
		dir, found := cfg.filesDir()
		if dir != tc.dir || found != (tc.bucket == "") || cfg.disks()["files"] != tc.dir {
			t.Errorf("%q: directory %q, disks %v", tc.files, dir, cfg.disks())
		}
		if s3 := cfg.S3.at(cfg.Files); !found && (s3.Bucket != tc.bucket || s3.Prefix != tc.prefix || s3.Region != "us-east-1") {
			t.Errorf("%q: got %+v", tc.files, s3)
		}
	}
	for _, endpoint := range []string{"https://host", "http://127.0.0.1:9000", "https://[::1]:9000"} {
		cfg := NewConfig()
		cfg.S3 = S3Config{Endpoint: endpoint, Region: "r", SSE: "aws:kms", KMSKey: "k"}
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

// TestMissingConfig loads a file that does not exist.
func TestMissingConfig(t *testing.T) {
	_, err := LoadConfig("/nowhere/platen.toml")
	if err == nil || !strings.Contains(err.Error(), "/nowhere/platen.toml") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}

// A node that is alone needs no secret. One that it is given has to be good.
func TestSecretOfOneNode(t *testing.T) {
	for _, c := range []ClusterConfig{{}, {Secret: "r7Kq2mXv9TzLp4Wd"}, {Secret: "r7Kq2mXv9TzLp4Wd", NextSecret: "Yp5sHd8wNc3jBf6t", FormerSecrets: []string{"short"}}} {
		if err := c.validate(KafkaConfig{}); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The secrets of a node that was alone are as base64, and whole.
func TestSealKeyOfConfig(t *testing.T) {
	of := func(bytes int) string { return base64.StdEncoding.EncodeToString(make([]byte, bytes)) }
	for key, wrong := range map[string]string{
		"": "", of(32): "", of(64): "",
		of(31): "cluster.seal_key: it has 31 bytes", of(33): "cluster.seal_key: it has 33 bytes", "seal.key": "cluster.seal_key: it is not base64",
	} {
		err := ClusterConfig{Secret: "r7Kq2mXv9TzLp4Wd", SealKey: key}.validate(KafkaConfig{})
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%q: %v, want %q", key, err, wrong)
		}
	}
	if err := (ClusterConfig{SealKey: of(32)}).validate(KafkaConfig{}); err == nil {
		t.Error("it is taken without a cluster's secret")
	}
}

// A weak secret is refused, but may be a former one: values that it sealed can be opened, and it
// admits nobody. A good former secret admits others while a rotation is under way.
func TestSecretsOfCluster(t *testing.T) {
	const good, next, former, weak = "r7Kq2mXv9TzLp4Wd", "Yp5sHd8wNc3jBf6t", "Gk4vRz9qMx2nTb7c", "0123456789abcdef"
	kafka := KafkaConfig{Brokers: []string{"127.0.0.1:1"}}
	for _, tc := range []struct {
		next   string
		former []string
		let    []string
	}{
		{"", nil, []string{good}},
		{next, nil, []string{good, next}},
		{"", []string{former, next}, []string{good, former}},
		{"", []string{weak}, []string{good}},
		{"", []string{weak, former}, []string{good}},
	} {
		c := ClusterConfig{Gossip: "127.0.0.1:1", Actors: "127.0.0.1:2", Secret: good, NextSecret: tc.next, FormerSecrets: tc.former}
		if err := c.validate(kafka); err != nil {
			t.Errorf("%+v: %v", tc, err)
		}
		var want []secret.Root
		for _, s := range tc.let {
			want = append(want, secret.Stretch(s))
		}
		if !slices.Equal(c.roots(), want) {
			t.Errorf("%+v: other secrets let nodes in", tc)
		}
	}
}

// A number that would not fit where it is counted in bytes or nanoseconds is refused, whatever its setting.
func TestNumbersHaveLimits(t *testing.T) {
	c := NewConfig()
	numbers := 0
	eachSetting("", reflect.ValueOf(&c).Elem(), func(name string, value reflect.Value) {
		limit := int64(maxNumber)
		for _, unit := range []string{"seconds", "hours", "days"} {
			if strings.HasSuffix(name, unit) {
				limit = maxTime
			}
		}
		if !value.CanInt() || value.OverflowInt(limit) { // the type has a lower limit
			return
		}
		numbers++
		before, said := value.Int(), name+": must be at most"
		value.SetInt(limit)
		if err := c.Validate(); err != nil && strings.Contains(err.Error(), said) {
			t.Error(err)
		}
		if c.Drain() < 0 || c.History.policy().Events < 0 || c.History.policy().Every < 0 || c.Kafka.session() < 0 || c.History.bytesPerSecond() < 0 || int64(c.ReserveMB)<<20 < 0 {
			t.Errorf("%s = %d is negative where it is used", name, limit)
		}
		value.SetInt(limit + 1)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s = %d: %v", name, limit+1, err)
		}
		value.SetInt(before)
	})
	if numbers < 12 {
		t.Errorf("only %d numbers were found", numbers)
	}
}
