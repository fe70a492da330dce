package chromium

import "os"

// fixedFlags are the same for every browser.
var fixedFlags = []string{
	"--headless",
	"--remote-debugging-pipe",
	// What a browser does by itself and nobody asked for.
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
	"--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,WebRtcHideLocalIpsWithMdns",
	// Pages nobody looks at must not be slowed down.
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",
	"--disable-hang-monitor",
	"--disable-ipc-flooding-protection",
	// Containers often have a tiny /dev/shm.
	"--disable-dev-shm-usage",
	"--disable-gpu",
	"--hide-scrollbars",
	"--mute-audio",
	"--password-store=basic",
	"--use-mock-keychain",
	// Pictures below the fold are on paper and in captures of the whole page.
	"--blink-settings=lazyLoadEnabled=false",
	// A page that opens windows gets none: each would cost a renderer.
	"--block-new-web-contents",
	// Glyphs keep their true advance widths on paper.
	"--font-render-hinting=none",
	// Nothing leaves but through the proxy: no UDP of QUIC or WebRTC, nor the multicast
	// (WebRtcHideLocalIpsWithMdns above) and the look-ups of TURN servers that the policy
	// leaves. The proxy looks up all names that there are to look up.
	"--disable-quic",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
}

// BypassNothing is the list of hosts to reach without a proxy: none, not even the
// loopback addresses that browsers leave out by themselves.
const BypassNothing = "<-loopback>"

// flags returns the whole command line for one browser. Without a proxy every
// request fails: a browser that may reach the network directly does not exist here.
func flags(o Options, userData string) []string {
	proxy := o.Proxy
	if proxy == "" {
		proxy = "127.0.0.1:9" // the discard port: nobody answers
	}
	all := append([]string{}, fixedFlags...)
	all = append(all,
		"--user-data-dir="+userData,
		"--proxy-server=http://"+proxy,
		"--proxy-bypass-list="+BypassNothing,
	)
	if o.NoSandbox || os.Geteuid() == 0 {
		all = append(all, "--no-sandbox")
	}
	return append(all, "about:blank")
}
