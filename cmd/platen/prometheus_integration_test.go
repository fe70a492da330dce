//go:build integration

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// prometheusTool is the path of promtool or prometheus (deploy/prometheus/integration.sh).
func prometheusTool(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("PLATEN_TEST_PROMETHEUS")
	if dir == "" {
		t.Skip("deploy/prometheus/integration.sh runs this test")
	}
	return filepath.Join(dir, name)
}

// promtool finds nothing wrong with the rules, their tests pass, and the board's queries are PromQL.
func TestPrometheusRules(t *testing.T) {
	var recorded strings.Builder
	recorded.WriteString("groups: [{name: board, rules: [\n")
	for i, q := range boardQueries(t) {
		quoted, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&recorded, "{record: 'board:%d', expr: %s},\n", i, quoted)
	}
	recorded.WriteString("]}]\n")
	board := filepath.Join(t.TempDir(), "board.yml")
	if err := os.WriteFile(board, []byte(recorded.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", rulesFile}, {"test", "rules", rulesTests}, {"check", "rules", board}} {
		if out, err := exec.Command(prometheusTool(t, "promtool"), args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", args, err, out)
		}
	}
}

// A Prometheus that scrapes a node evaluates all rules, answers every query of the board, and notices when the node is gone.
func TestPrometheusWatchesANode(t *testing.T) {
	m := newMachine(t, "--dev", "--slots", "2")
	p := m.start(t)
	c := client{m.devKey(t, events.PlanBusiness)}
	awaitFile(t, c, p.address, mustSubmit(t, c, p.address))
	base := startPrometheus(t, strings.TrimPrefix(p.address, "http://"))

	testkit.Eventually(t, "the node is scraped", func() bool { return len(promQuery(t, base, `up{job="platen"} == 1`)) == 1 })
	for _, q := range boardQueries(t) {
		testkit.Eventually(t, "an answer to "+q, func() bool { return len(promQuery(t, base, q)) > 0 })
	}
	var answer struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError, State string }
			}
		}
	}
	testkit.Eventually(t, "all rules are evaluated", func() bool {
		promGet(t, base+"/api/v1/rules", &answer)
		for _, g := range answer.Data.Groups {
			for _, r := range g.Rules {
				if r.Health != "ok" {
					return false
				}
			}
		}
		return true
	})
	for _, g := range answer.Data.Groups {
		for _, r := range g.Rules {
			if r.State == "firing" && r.Name != "PlatenErrorLogged" {
				t.Errorf("%s fires at a node that is well", r.Name)
			}
		}
	}
	p.kill()
	testkit.Eventually(t, "the alert is pending", func() bool { return len(promQuery(t, base, `ALERTS{alertname="PlatenNodeDown"}`)) == 1 })
}

// startPrometheus runs a Prometheus that scrapes a node every second until the test ends, and returns its address.
func startPrometheus(t *testing.T, target string) string {
	t.Helper()
	rules, err := filepath.Abs(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	dir, listen := t.TempDir(), testkit.FreePorts(t, 1)[0]
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%q]\nscrape_configs: [{job_name: platen, static_configs: [{targets: [%q]}]}]\n", rules, target)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, prometheusTool(t, "prometheus"), "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+listen)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(out.String())
		}
	})
	base := "http://" + listen
	testkit.Eventually(t, "Prometheus is ready", func() bool {
		resp, err := http.Get(base + "/-/ready")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return base
}

// promQuery returns the series that answer a query; one that Prometheus refuses fails the test.
func promQuery(t *testing.T, base, query string) []json.RawMessage {
	t.Helper()
	var answer struct {
		Status, Error string
		Data          struct{ Result []json.RawMessage }
	}
	promGet(t, base+"/api/v1/query?query="+url.QueryEscape(query), &answer)
	if answer.Status != "success" {
		t.Fatalf("%s: %s", query, answer.Error)
	}
	return answer.Data.Result
}

func promGet(t *testing.T, url string, into any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
