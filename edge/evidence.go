package edge

import (
	"github.com/valyala/fasthttp"

	"platen.dev/edge/openapi"
	"platen.dev/edge/schema"
	"platen.dev/einvoice/evidence"
	"platen.dev/events"
	"platen.dev/projections"
)

const keysType = "application/jwk-set+json"

// evidence returns the signed evidence about a job's e-invoice.
func (s *jobs) evidence(ctx *fasthttp.RequestCtx, text string) *problem {
	f, wrong := s.find(ctx, text, true)
	if wrong != nil {
		return wrong
	}
	return s.writeEvidence(ctx, f)
}

// writeEvidence signs the evidence of a job, if it has any, and writes the response.
func (s *jobs) writeEvidence(ctx *fasthttp.RequestCtx, f found) *problem {
	if f.job.Evidence == nil {
		return noEvidence
	}
	statement := statementOf(f.id, f.job)
	jws, err := evidence.Sign(statement, s.cfg.Signers()[0])
	if err != nil {
		s.cfg.Logger.Error("sign evidence", "job", f.id.String(), "error", err)
		return internalError
	}
	ctx.SetStatusCode(200)
	ctx.SetContentType(jsonType)
	ctx.SetBodyString(`{"evidence":` + string(statement.JSON()) + `,"jws":"` + jws + `"}`) // a JWS needs no escaping
	return nil
}

func (s *jobs) evidenceKeys(ctx *fasthttp.RequestCtx) *problem {
	ctx.SetStatusCode(200)
	ctx.SetContentType(keysType)
	ctx.Response.Header.Set("Cache-Control", "max-age=300")
	ctx.SetBody(evidence.Keys(s.cfg.Signers()))
	return nil
}

// statementOf is the statement about a job that has evidence.
func statementOf(id events.JobID, j projections.Job) evidence.Statement {
	e := j.Evidence
	s := evidence.Statement{
		Kind: evidence.Kind, JobID: id.String(), SubmittedAt: j.Created.Time().UTC(), FinishedAt: j.Finished.Time().UTC(),
		XML:   evidence.XML{SHA256: evidence.DigestOf(e.XML), Profile: e.Profile},
		File:  evidence.File{SHA256: evidence.DigestOf(e.File), Bytes: j.File.Size, Pages: j.File.Pages},
		Rules: []evidence.Rules{}, Match: evidence.Match{Compared: e.Compared, Mismatches: e.Mismatches},
		Engine: evidence.Engine{
			Platen: e.Engine.Platen, Binary: evidence.DigestOf(e.Engine.Binary), Browser: e.Engine.Browser, Fonts: evidence.DigestOf(e.Engine.Fonts),
		},
	}
	for _, c := range e.Sets {
		s.Rules = append(s.Rules, evidence.Rules{Name: c.Name, Version: c.Version, SHA256: evidence.DigestOf(c.Digest), Fatal: c.Fatal, Others: c.Others})
	}
	return s
}

var digest = schema.String{}

var evidenceStatement = openapi.Object{Name: "EvidenceStatement", Fields: []openapi.Field{
	openapi.Required("kind", schema.String{OneOf: []string{evidence.Kind}}).Example(evidence.Kind),
	openapi.Required("job_id", schema.String{Format: "uuid"}).Example(exampleID),
	openapi.Required("submitted_at", timestamp).Example("2026-01-31T09:00:00Z"),
	openapi.Required("finished_at", timestamp).Example("2026-01-31T09:00:00.181Z"),
	openapi.Required("xml", openapi.Object{Name: "EvidenceXML", Fields: []openapi.Field{
		openapi.Required("sha256", digest).Doc("In hexadecimal, as all digests."), openapi.Required("profile", schema.String{}).Example("en16931"),
	}}).Doc("The invoice as it was sent. It is valid by the schema of the profile."),
	openapi.Required("file", openapi.Object{Name: "EvidenceFile", Fields: []openapi.Field{
		openapi.Required("sha256", digest), openapi.Required("size_bytes", count).Example(48213), openapi.Required("pages", count).Example(2),
	}}).Doc("The PDF. It conforms to PDF/A-3b and has the XML inside."),
	openapi.Required("rules", schema.List[schema.None]{Items: openapi.Object{Name: "EvidenceRules", Fields: []openapi.Field{
		openapi.Required("name", schema.String{}).Example("en16931"), openapi.Required("version", schema.String{}).Example("1.3.16"),
		openapi.Required("sha256", digest), openapi.Required("fatal", count), openapi.Required("others", count),
	}}}).Doc("The sets of business rules that were applied: those of rule_sets, or of the profile; and in how many places the invoice breaks them."),
	openapi.Required("match", openapi.Object{Name: "EvidenceMatch", Fields: []openapi.Field{
		openapi.Required("compared", schema.Bool{}), openapi.Required("mismatches", count),
	}}).Doc("Whether the pages were compared with the XML; and how many terms they lack or, if they are the caller's, contradict."),
	openapi.Required("engine", openapi.Object{Name: "EvidenceEngine", Fields: []openapi.Field{
		openapi.Required("platen", schema.String{}), openapi.Required("binary_sha256", digest),
		openapi.Required("browser", schema.String{}).Example("Chrome/150.0.7500.1"), openapi.Required("fonts_sha256", digest),
	}}).Doc("What made the file; an empty digest is unknown."),
}}

var evidenceResponse = openapi.Object{Name: "EvidenceResponse", Fields: []openapi.Field{
	openapi.Required("evidence", evidenceStatement),
	openapi.Required("jws", schema.String{}).Doc("The same statement as a JSON Web Signature (compact, EdDSA). Its key is in /.well-known/jwks.json."),
}}

func describeEvidence() openapi.Operation {
	return openapi.Operation{
		ID: "jobEvidence", Method: "GET", Path: "/jobs/{job_id}/evidence", Tag: "Jobs", Summary: "Signed evidence of a job's e-invoice",
		Doc: "An extension. What was checked, by what, and when, as long as the job's status is readable.", PathParams: jobParameter,
		Responses: jobResponses(
			openapi.Response{Status: 200, Doc: "The evidence.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: jsonType, Schema: evidenceResponse}}},
			refusal("The account has no such job, or the job has no evidence.", noEvidence),
		),
	}
}

func describeEvidenceKeys() openapi.Operation {
	return openapi.Operation{
		ID: "evidenceKeys", Method: "GET", Path: "/.well-known/jwks.json", Tag: "Description", Summary: "The public keys of evidence, as a JWK set", Public: true,
		Responses: []openapi.Response{{Status: 200, Doc: "The keys.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: keysType}}}},
	}
}
