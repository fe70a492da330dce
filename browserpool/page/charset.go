package page

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// misread reports whether a document looks like UTF-8 that was decoded as something else.
//
//go:embed script/misread.js
var misread string

// reread loads a visit's document once more, and examines its bytes, if neither the server nor the document declares an
// encoding and it looks like misread UTF-8. Browsers guess the encoding in this case, but never guess UTF-8.
func (p *page) reread(ctx context.Context, d document) error {
	if p.kind != forVisit || d.load.WaitUntil == contract.UntilCommit || p.progress.isCharsetDeclared() {
		return nil
	}
	var looksSo bool
	if _, err := p.run(ctx, misread, nil, &looksSo); err != nil || !looksSo {
		return err
	}
	p.undeclared.Store(true)
	if err := p.pauseRequests(p.session.With(ctx)); err != nil {
		return err
	}
	if err := p.begin(ctx, d); err != nil {
		return err
	}
	return p.await(ctx, d.load.WaitUntil)
}

// pauseRequests makes the browser pause what the page must examine: every request if there are credentials, and
// document responses if no encoding is declared.
func (p *page) pauseRequests(client proto.Client) error {
	var patterns []*proto.FetchRequestPattern
	if p.guard != nil {
		patterns = append(patterns, &proto.FetchRequestPattern{URLPattern: "*"})
	}
	if p.undeclared.Load() {
		patterns = append(patterns, &proto.FetchRequestPattern{ResourceType: proto.NetworkResourceTypeDocument, RequestStage: proto.FetchRequestStageResponse})
	}
	return proto.FetchEnable{Patterns: patterns}.Call(client)
}

// onPaused notes a paused request or answer, in the order of events, and returns how to let it
// continue.
func (p *page) onPaused(params []byte) (resume func(context.Context, proto.Client)) {
	var paused proto.FetchRequestPaused
	if json.Unmarshal(params, &paused) != nil || paused.Request == nil {
		return func(context.Context, proto.Client) {} // it stays paused: better that the job times out than that it bypasses its guard
	}
	switch {
	case paused.ResponseStatusCode != nil || paused.ResponseErrorReason != "":
		return func(_ context.Context, client proto.Client) { p.answer(client, &paused) }
	case p.guard != nil:
		return p.guard.observe(&paused)
	default:
		return func(_ context.Context, client proto.Client) {
			_ = proto.FetchContinueRequest{RequestID: paused.RequestID}.Call(client)
		}
	}
}

// answer lets an answer pass. If it is the main document and UTF-8, it is given to the page as that:
// the browser ignores another Content-Type for a body that it passes on itself.
func (p *page) answer(client proto.Client, paused *proto.FetchRequestPaused) {
	isDocument := paused.FrameID == p.progress.frame && paused.ResponseStatusCode != nil && *paused.ResponseStatusCode/100 == 2
	if isDocument {
		if body, err := bodyOf(client, paused.RequestID); err == nil && utf8.Valid(body) {
			_ = asUTF8(paused, body).Call(client)
			return
		}
	}
	_ = proto.FetchContinueResponse{RequestID: paused.RequestID}.Call(client)
}

// bodyOf is the body of a paused answer, decompressed.
func bodyOf(client proto.Client, answer proto.FetchRequestID) ([]byte, error) {
	body, err := proto.FetchGetResponseBody{RequestID: answer}.Call(client)
	if err != nil || !body.Base64Encoded {
		return nil, errors.Join(err, errNotBase64)
	}
	return base64.StdEncoding.DecodeString(body.Body)
}

var errNotBase64 = errors.New("a body is not in base64")

// aboutBody are the headers that no longer apply to a decompressed body with a declared encoding.
var aboutBody = []string{"content-type", "content-length", "content-encoding", "transfer-encoding"}

// asUTF8 returns a paused response, declared as UTF-8.
func asUTF8(paused *proto.FetchRequestPaused, body []byte) proto.FetchFulfillRequest {
	kind := "text/html"
	answer := proto.FetchFulfillRequest{RequestID: paused.RequestID, ResponseCode: *paused.ResponseStatusCode, ResponsePhrase: paused.ResponseStatusText, Body: body}
	for _, header := range paused.ResponseHeaders {
		name := strings.ToLower(header.Name)
		if name == "content-type" {
			kind, _, _ = strings.Cut(header.Value, ";")
		}
		if !slices.Contains(aboutBody, name) {
			answer.ResponseHeaders = append(answer.ResponseHeaders, header)
		}
	}
	answer.ResponseHeaders = append(answer.ResponseHeaders, &proto.FetchHeaderEntry{Name: "Content-Type", Value: kind + "; charset=utf-8"})
	return answer
}
