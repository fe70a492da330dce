package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/cmd/platen/doctor"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// examined runs `platen doctor`, and returns what it finds by check, and the status with which it ends.
func examined(t *testing.T, args ...string) (found map[string][]doctor.Finding, exit int) {
	t.Helper()
	var out, errs strings.Builder
	err := run(append([]string{"doctor", "--json"}, args...), &out, &errs)
	var code exitStatus
	if err != nil && !errors.As(err, &code) {
		t.Fatalf("doctor: %v\n%s", err, &errs)
	}
	found = map[string][]doctor.Finding{}
	for d := json.NewDecoder(strings.NewReader(out.String())); d.More(); {
		var f doctor.Finding
		if err := d.Decode(&f); err != nil {
			t.Fatal(err)
		}
		found[f.Check] = append(found[f.Check], f)
	}
	return found, int(code)
}

// TestDoctor examines this host, on which nodes run, with its browser; it makes nothing.
func TestDoctor(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	data := filepath.Join(t.TempDir(), "data")
	listen := testkit.FreePorts(t, 1)[0]
	found, exit := examined(t, "--data", data, "--listen", listen)
	for _, check := range []string{"user", "kernel", "memory and processors", "open files", "clock", "wait for the time", "programs", "fonts", "browser", "disk of data", "disk of files", "ports", "names"} {
		if len(found[check]) == 0 || found[check][0].Verdict == doctor.Failure {
			t.Errorf("%s: %+v", check, found[check])
		}
	}
	if exit != 0 || found["browser"][0].Verdict != doctor.OK {
		t.Errorf("status %d, %+v", exit, found)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the data directory was made: %v", err)
	}
	taken, err := net.Listen("tcp", listen)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if found, exit := examined(t, "--data", data, "--listen", listen); exit != 1 || found["ports"][0].Verdict != doctor.Failure {
		t.Errorf("a port that is taken: status %d, %+v", exit, found["ports"])
	}
	var out strings.Builder
	if err := run([]string{"doctor", "--data", data, "--listen", listen}, &out, &out); !errors.Is(err, exitStatus(1)) || !strings.Contains(out.String(), "failure  ports: listen: somebody listens on") {
		t.Errorf("as text: %v\n%s", err, &out)
	}
}

// TestDoctorOfACluster examines a host beside a broker: before there are topics, with those of a node, and with one that loses
// records. The topics are the node's to make.
func TestDoctorOfACluster(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	broker, ports := nodetest.Broker(t), testkit.FreePorts(t, 3)
	operator, dir := &machine{}, filepath.Join(t.TempDir(), "cluster")
	operator.admin(t, "cluster", "init", dir)
	config := filepath.Join(t.TempDir(), "platen.toml")
	text := fmt.Sprintf("partitions = 1\ndata = %q\nlisten = %q\n[kafka]\nbrokers = [%q]\n[cluster]\ngossip = %q\nactors = %q\nsecret = \"r7Kq2mXv9TzLp4Wd\"\ncert_file = %q\nkey_file = %q\nca_file = %q\n",
		t.TempDir(), ports[0], broker, ports[1], ports[2], filepath.Join(dir, "node1.pem"), filepath.Join(dir, "node1.key"), filepath.Join(dir, "ca.pem"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first look has made no topics
		found, _ := examined(t, "--config", config)
		if f := found["Kafka"]; len(f) != 3 || f[0].Verdict != doctor.OK || !strings.Contains(f[1].Text, events.TopicJournal) || f[2].Verdict != doctor.Warning {
			t.Errorf("a cluster without topics: %+v", f)
		}
		if f := found["certificate of the node"]; len(f) != 1 || f[0].Verdict != doctor.OK || found["identity of the node"][0].Verdict != doctor.OK || len(found["ports"]) != 3 {
			t.Errorf("the certificate %+v, the ports %+v", f, found["ports"])
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, exit := examined(t, "--config", config, "--kafka", testkit.FreePorts(t, 1)[0])
	if exit != 1 || found["identity of the node"][0].Verdict != doctor.Failure || found["Kafka"][0].Verdict != doctor.Failure {
		t.Errorf("status %d, %+v", exit, found)
	}
}
