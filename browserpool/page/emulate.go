package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// emulation is what a visit shows its page of the browser, in all its frames and workers. Those that
// are targets of their own wait, when they start, until they have it.
type emulation struct {
	page   *page
	load   contract.Load
	errors *scriptErrors // nil unless they fail the job
}

// emulationOf is that of a job; nil if it asks for nothing.
func emulationOf(p *page, l contract.Load) *emulation {
	if l.UserAgent == "" && l.Locale == "" && l.TimeZone == "" && l.ColorScheme == "" && !l.NoScript && !l.FailOnScriptError {
		return nil
	}
	e := &emulation{page: p, load: l}
	if l.FailOnScriptError {
		e.errors = &scriptErrors{}
	}
	return e
}

// begin makes the page's settings. It comes before the job's document.
func (e *emulation) begin(client proto.Client) error {
	for _, set := range e.settings(client) {
		err := set()
		if message := browserMessage(err); message != "" {
			return Because(fmt.Errorf("%w: %s", ErrOptions, message), "The browser cannot be set up as render says: %s.", strings.TrimSuffix(message, "."))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settings are those of the page or of one of its targets.
func (e *emulation) settings(client proto.Client) []func() error {
	attach := proto.TargetSetAutoAttach{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true}
	all := []func() error{func() error { return attach.Call(client) }}
	add := func(wanted bool, set func() error) {
		if wanted {
			all = append(all, set)
		}
	}
	l := e.load
	add(l.UserAgent != "" || l.Locale != "", func() error { return e.identity().Call(client) })
	add(l.Locale != "", func() error { return proto.EmulationSetLocaleOverride{Locale: l.Locale}.Call(client) })
	add(l.TimeZone != "", func() error { return proto.EmulationSetTimezoneOverride{TimezoneID: l.TimeZone}.Call(client) })
	add(l.NoScript, func() error { return proto.EmulationSetScriptExecutionDisabled{Value: true}.Call(client) })
	add(l.ColorScheme != "", func() error {
		scheme := []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: l.ColorScheme}}
		return proto.EmulationSetEmulatedMedia{Media: e.page.media, Features: scheme}.Call(client)
	})
	add(e.errors != nil, func() error { return proto.RuntimeEnable{}.Call(client) })
	return all
}

// identity is who the browser says it is. A user agent of the caller's own has no client hints.
func (e *emulation) identity() proto.EmulationSetUserAgentOverride {
	identity := e.page.browser.Identity()
	if e.load.UserAgent != "" {
		identity = proto.EmulationSetUserAgentOverride{UserAgent: e.load.UserAgent}
	}
	identity.AcceptLanguage = acceptLanguage(cmp.Or(e.load.Locale, contract.DefaultLocale))
	return identity
}

// acceptLanguage is a locale and, if that says more, its language.
func acceptLanguage(locale string) string {
	if language, _, more := strings.Cut(locale, "-"); more {
		return locale + "," + language
	}
	return locale
}

// observe takes an event of the page or of one of its targets. It does not block.
func (e *emulation) observe(event cdp.Event) {
	switch event.Method {
	case "Target.attachedToTarget":
		var attached proto.TargetAttachedToTarget
		if json.Unmarshal(event.Params, &attached) != nil {
			return
		}
		child := e.page.session.Adopt(attached.SessionID, e.observe)
		e.page.reactions.start(func(ctx context.Context) { e.join(child.With(ctx)) })
	case "Runtime.exceptionThrown", "Runtime.exceptionRevoked":
		if e.errors != nil {
			e.errors.observe(event)
		}
	}
}

// join gives a target its settings and lets it run. What it does not know it does not need: some
// hold for a whole process, where another target has made them, and workers have no medium.
func (e *emulation) join(client proto.Client) {
	_ = together(e.settings(client))
	_ = proto.RuntimeRunIfWaitingForDebugger{}.Call(client)
}
