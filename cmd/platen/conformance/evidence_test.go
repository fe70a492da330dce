package conformance

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"platen.dev/einvoice/evidence"
	"platen.dev/einvoice/sample"
	"platen.dev/events"
)

// proveEvidence verifies what is signed with the keys that are published, and compares it with the files.
func proveEvidence(t *testing.T, s *server) {
	c, nobody := s.customer(t, events.PlanBusiness), &customer{t: t, server: s}
	xml := string(sample.XML("xrechnung"))
	id := c.post(invoiceToPDF, object{"xml": xml, "profile": "xrechnung"}).accepted()
	done := c.ended(id)
	pdf := c.download(id).status(200).body
	a := c.get("/jobs/" + id.String() + "/evidence").status(200)
	jws, _ := a.json()["jws"].(string)
	e, err := evidence.Verify(jws, nobody.get("/.well-known/jwks.json").status(200).body)
	if err != nil {
		t.Fatal(err)
	}
	if shown, err := json.Marshal(a.json()["evidence"]); err != nil || !equalJSON(t, shown, e.JSON()) {
		t.Errorf("what is shown is not what is signed: %s", a.body)
	}
	if e.JobID != id.String() || e.XML.SHA256 != evidence.DigestOf(sha256.Sum256([]byte(xml))) || e.File.SHA256 != evidence.DigestOf(sha256.Sum256(pdf)) ||
		e.XML.Profile != "xrechnung" || e.File.Bytes != int64(len(pdf)) || e.File.Pages == 0 || e.FinishedAt.Format("2006-01-02T15:04:05.000Z07:00") != done["finished_at"] {
		t.Errorf("got %+v", e)
	}
	if len(e.Rules) != 2 || e.Rules[0].Name != "en16931" || e.Rules[1].Name != "xrechnung" || e.Rules[0].Fatal+e.Rules[1].Fatal != 0 || e.Rules[1].SHA256 == "" {
		t.Errorf("rules %+v", e.Rules)
	}
	if (e.Match != evidence.Match{Compared: true}) {
		t.Errorf("match %+v", e.Match)
	}
	if e.Engine.Binary == "" || e.Engine.Fonts == "" || !strings.Contains(e.Engine.Browser, "Chrome/") {
		t.Errorf("engine %+v", e.Engine)
	}
	if again := c.get("/jobs/" + id.String() + "/evidence").status(200); string(again.body) != string(a.body) {
		t.Error("the evidence has changed")
	}
	plain := c.post(htmlToPDF, object{"html": "<p>x"}).accepted()
	c.ended(plain)
	c.get("/jobs/"+plain.String()+"/evidence").problem(404, "NO_EVIDENCE", "no-evidence: ")
	s.customer(t, events.PlanFree).get("/jobs/"+id.String()+"/evidence").problem(404, "JOB_NOT_FOUND", "job-not-found: ")
}

func equalJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}
