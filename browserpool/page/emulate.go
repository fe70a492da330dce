package page

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/events/contract"
)

// emulation decides what the page of a visit sees of the browser, in all its frames and workers. Those
// that are targets of their own wait, when they start, until they have it.
type emulation struct {
	page   *page
	media  string // of the page
	load   contract.Load
	errors *scriptErrors // nil unless they fail the job
}

// emulationOf returns the emulation of a job; nil if it needs none.
func emulationOf(p *page, l contract.Load) *emulation {
	if l.UserAgent == "" && l.Locale == "" && l.TimeZone == "" && l.ColorScheme == "" && !l.NoScript && !l.FailOnScriptError {
		return nil
	}
	e := &emulation{page: p, media: p.media, load: l}
	if l.FailOnScriptError {
		e.errors = &scriptErrors{}
	}
	return e
}

// begin applies the settings to the page, before it loads the job's document.
func (e *emulation) begin(ctx context.Context) error {
	for _, setting := range e.settings() {
		_, err := e.page.session.Send(ctx, setting.ProtoReq(), setting)
		if message := browserMessage(err); message != "" {
			return Because(fmt.Errorf("%w: %s", ErrOptions, message), "The browser rejected the render options: %s.", strings.TrimSuffix(message, "."))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settings returns the settings for the page and each of its targets.
func (e *emulation) settings() []proto.Request {
	all := []proto.Request{proto.TargetSetAutoAttach{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true}}
	l := e.load
	if l.UserAgent != "" || l.Locale != "" {
		all = append(all, e.identity())
	}
	if l.Locale != "" {
		all = append(all, proto.EmulationSetLocaleOverride{Locale: l.Locale})
	}
	if l.TimeZone != "" {
		all = append(all, proto.EmulationSetTimezoneOverride{TimezoneID: l.TimeZone})
	}
	if l.NoScript {
		all = append(all, proto.EmulationSetScriptExecutionDisabled{Value: true})
	}
	if l.ColorScheme != "" {
		scheme := []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: l.ColorScheme}}
		all = append(all, proto.EmulationSetEmulatedMedia{Media: e.media, Features: scheme})
	}
	if e.errors != nil {
		all = append(all, proto.RuntimeEnable{})
	}
	return all
}

// identity returns how the browser identifies itself. A user agent set by the caller has no client hints.
func (e *emulation) identity() proto.EmulationSetUserAgentOverride {
	identity := e.page.browser.Identity()
	if e.load.UserAgent != "" {
		identity = proto.EmulationSetUserAgentOverride{UserAgent: e.load.UserAgent}
	}
	if e.load.Locale != "" {
		identity.AcceptLanguage = acceptLanguage(e.load.Locale)
	}
	return identity
}

// acceptLanguage returns a locale and, if it has more parts, its language.
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
		e.page.reactions.start(func(ctx context.Context) { e.join(ctx, child, attached.TargetInfo.Type) })
	case "Runtime.exceptionThrown", "Runtime.exceptionRevoked":
		if e.errors != nil {
			e.errors.observe(event)
		}
	}
}

// join applies the settings to a target and lets it run. Errors are ignored: some settings apply to a whole process,
// where another target has made them, and workers have no medium.
func (e *emulation) join(ctx context.Context, child *chromium.Child, kind proto.TargetTargetInfoType) {
	for _, setting := range e.settings() {
		if kind == "iframe" {
			_ = child.Ask(ctx, setting) // it holds before the frame's document begins
		} else {
			_ = child.Tell(setting)
		}
	}
	_ = child.Tell(proto.RuntimeRunIfWaitingForDebugger{})
}
