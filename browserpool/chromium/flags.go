package chromium

import "strings"

// fixedFlags are the same for every browser.
var fixedFlags = []string{
	"--headless",
	"--remote-debugging-pipe",
	// Background activity of the browser itself.
	"--disable-background-networking",
	"--disable-breakpad",
	"--disable-client-side-phishing-detection",
	"--disable-component-update",
	"--disable-crash-reporter",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-sync",
	"--metrics-recording-only",
	"--no-default-browser-check",
	"--no-first-run",
	"--no-pings",
	"--accept-lang=" + acceptLanguage,
	// Pages in the background must not be slowed down.
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",
	"--disable-hang-monitor",
	// Containers often have a tiny /dev/shm.
	"--disable-dev-shm-usage",
	"--disable-gpu",
	"--hide-scrollbars",
	"--mute-audio",
	"--password-store=basic",
	"--use-mock-keychain",
	// Pictures below the fold are printed, and captured with the whole page.
	"--blink-settings=lazyLoadEnabled=false",
	// Collect garbage as soon as there is enough of it. Incremental marking finishes only when the page is idle, after a
	// whole document was laid out and printed: a page of 200 KB would grow to twice the size, and keep it. Enough is as
	// much as is live, or some 90 MiB; otherwise it would depend on the speed of collections, and so on the load of the
	// machine.
	"--js-flags=--no-incremental-marking,--heap-growing-percent=100,--initial-heap-size=40",
	// A page cannot open windows: each would cost a renderer.
	"--block-new-web-contents",
	// Glyphs keep their exact advance widths on paper.
	"--font-render-hinting=none",
	// All traffic goes through the proxy: no UDP of QUIC or WebRTC, and neither the
	// multicast (WebRtcHideLocalIpsWithMdns below) nor the look-ups of TURN servers that
	// the WebRTC policy would still allow. Only the proxy looks up names.
	"--disable-quic",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
}

// unwanted are features that are always switched off. GenerateXSLTWarningBanner covers pages made by XSLT.
var unwanted = []string{
	"Translate", "OptimizationHints", "MediaRouter", "DialMediaRouteProvider", "AutofillServerCommunication",
	"WebRtcHideLocalIpsWithMdns", "GenerateXSLTWarningBanner",
}

// slow are features that pages here do not need and that cost time. RenderDocument makes
// a new frame and view for each document that a page shows: without it a warm page is
// emptied in half the time.
var slow = []string{"RenderDocument"}

// BypassNothing is the list of hosts to reach without a proxy: none, not even the
// loopback addresses, which browsers add by default.
const BypassNothing = "<-loopback>"

// flags returns the whole command line for one browser. Without a proxy every request
// fails: no browser may reach the network directly.
func flags(o Options, userData string) []string {
	proxy := o.Proxy
	if proxy == "" {
		proxy = "socks5://127.0.0.1:9" // the discard port, where nothing answers
	}
	features := append([]string{}, unwanted...)
	if !o.Plain {
		features = append(features, slow...)
	}
	all := append([]string{}, fixedFlags...)
	all = append(all,
		"--disable-features="+strings.Join(features, ","), // the browser uses only the last of several such flags
		"--user-data-dir="+userData,
		"--proxy-server="+proxy,
		"--proxy-bypass-list="+BypassNothing,
	)
	if o.UserAgent != "" {
		all = append(all, "--user-agent="+o.UserAgent)
	}
	if !o.sandboxed() {
		all = append(all, "--no-sandbox")
	}
	return append(all, "about:blank")
}
