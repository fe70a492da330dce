package page

import (
	"fmt"
	"slices"
	"strings"
)

// vectors lists the ways in which a page may make a browser connect to an address.
var vectors = map[string]string{
	// Pictures and media.
	"img":         `<img src="{URL}">`,
	"srcset":      `<img srcset="{URL} 1x">`,
	"picture":     `<picture><source srcset="{URL}"><img></picture>`,
	"input":       `<input type="image" src="{URL}">`,
	"background":  `<table background="{URL}"><tr><td>x</table>`,
	"poster":      `<video poster="{URL}"></video>`,
	"video":       `<video src="{URL}" preload="auto" autoplay></video>`,
	"audio":       `<audio src="{URL}" preload="auto"></audio>`,
	"source":      `<video preload="auto"><source src="{URL}" type="video/webm"></video>`,
	"track":       `<video src="data:video/mp4,x" crossorigin><track default kind="captions" src="{URL}"></video><script>document.querySelector("track").track.mode = "showing"</script>`,
	"svg-image":   `<svg><image href="{URL}"/></svg>`,
	"svg-xlink":   `<svg><image xlink:href="{URL}"/></svg>`,
	"svg-use":     `<svg><use href="{URL}#a"/></svg>`,
	"svg-feimage": `<svg><filter id="fi"><feImage href="{URL}"/></filter><rect width="9" height="9" filter="url(#fi)"/></svg>`,
	"favicon":     `<link rel="icon" href="{URL}">`,
	"manifest":    `<link rel="manifest" href="{URL}">`,
	// Styles.
	"stylesheet":   `<link rel="stylesheet" href="{URL}">`,
	"css-import":   `<style>@import url("{URL}");</style>`,
	"css-url":      `<p style="background: url('{URL}')">x`,
	"css-imageset": `<p style="background: image-set('{URL}' 1x)">x`,
	"css-font":     `<style>@font-face { font-family: ff; src: url("{URL}") }</style><p style="font-family: ff">x`,
	"css-content":  `<style>#cc::before { content: url("{URL}") }</style><p id="cc">x`,
	"css-list":     `<ul style="list-style: url('{URL}')"><li>x</ul>`,
	"css-border":   `<p style="border: 9px solid; border-image: url('{URL}') 9">x`,
	"css-mask":     `<p style="mask-image: url('{URL}')">x`,
	"css-shape":    `<p style="float: left; shape-outside: url('{URL}')">x`,
	"css-filter":   `<p style="filter: url('{URL}#f')">x`,
	"css-cursor":   `<p style="cursor: url('{URL}'), auto">x`,
	// Frames.
	"iframe":     `<iframe src="{URL}"></iframe>`,
	"srcdoc":     `<iframe srcdoc="<img src='{URL}'>"></iframe>`,
	"frameset":   `<iframe srcdoc="<frameset><frame src='{URL}'></frameset>"></iframe>`,
	"object":     `<object data="{URL}"></object>`,
	"embed":      `<embed src="{URL}">`,
	"data":       `<iframe src="data:text/html,<img src='{URL}'>"></iframe>`,
	"blob":       `<script>blobFrame("<img src='{URL}'>", "text/html")</script>`,
	"xslt":       `<script>blobFrame("<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='{URL}'?><a/>", "text/xml")</script>`,
	"javascript": `<iframe src="javascript:'<img src={URL}>'"></iframe>`,
	// Navigation.
	"refresh":  `<iframe srcdoc="<meta http-equiv='refresh' content='0; url={URL}'>"></iframe>`,
	"location": `<iframe srcdoc="<script>location = '{URL}'</script>"></iframe>`,
	"form":     `<iframe name="fr"></iframe><form id="fo" target="fr" method="post" action="{URL}"><input name="a" value="b"></form><script>fo.submit()</script>`,
	"open":     `<script>window.open("{URL}")</script>`,
	"click":    `<iframe name="cl"></iframe><a id="ca" target="cl" href="{URL}"></a><script>ca.click()</script>`,
	"download": `<iframe srcdoc="<a id='da' download href='{URL}'></a><script>da.click()</script>"></iframe>`,
	"ping":     `<iframe name="pi"></iframe><a id="pa" target="pi" href="about:blank" ping="{URL}"></a><script>pa.click()</script>`,
	// Script.
	"script":       `<script src="{URL}"></script>`,
	"module":       `<script type="module" src="{URL}"></script>`,
	"import":       `<script>import("{URL}").catch(() => {})</script>`,
	"importmap":    `<script type="importmap">{"imports": {"mapped": "{URL}"}}</script><script type="module">import("mapped").catch(() => {})</script>`,
	"fetch":        `<script>fetch("{URL}").catch(() => {})</script>`,
	"fetch-plain":  `<script>fetch("{URL}", {mode: "no-cors", method: "POST", body: "x", keepalive: true}).catch(() => {})</script>`,
	"xhr":          `<script>{ const x = new XMLHttpRequest(); x.open("PUT", "{URL}"); x.send("x") }</script>`,
	"xhr-sync":     `<script>try { const x = new XMLHttpRequest(); x.open("GET", "{URL}", false); x.send() } catch {}</script>`,
	"beacon":       `<script>navigator.sendBeacon("{URL}", "x")</script>`,
	"eventsource":  `<script>new EventSource("{URL}")</script>`,
	"websocket":    `<script>new WebSocket("{URL}".replace("http", "ws"))</script>`,
	"worker":       `<script>new Worker(blob("importScripts('{URL}')"))</script>`,
	"worker-xhr":   `<script>new Worker(blob("fetch('{URL}')"))</script>`,
	"shared":       `<script>new SharedWorker(blob("importScripts('{URL}')"))</script>`,
	"write":        `<script>document.write("<img src='{URL}'>")</script>`,
	"image":        `<script>new Image().src = "{URL}"</script>`,
	"webtransport": `<script>try { new WebTransport("https://{HOST}/webtransport") } catch {}</script>`,
	"stun":         `<script>rtc({urls: "stun:{HOST}"})</script>`,
	"turn":         `<script>rtc({urls: ["turn:{HOST}?transport=tcp", "turn:{HOST}?transport=udp", "turns:{HOST}"], username: "a", credential: "b"})</script>`,
	// Hints.
	"prefetch":      `<link rel="prefetch" href="{URL}">`,
	"preload":       `<link rel="preload" as="image" href="{URL}">`,
	"modulepreload": `<link rel="modulepreload" href="{URL}">`,
	"preconnect":    `<link rel="preconnect" href="{SCHEME}://{HOST}"><link rel="dns-prefetch" href="//{HOST}">`,
	"prerender":     `<link rel="prerender" href="{URL}">`,
	"speculation":   `<script type="speculationrules">{"prefetch": [{"urls": ["{URL}"], "eagerness": "immediate"}], "prerender": [{"urls": ["{URL}"], "eagerness": "immediate"}]}</script>`,
	// Indirectly, through responses of the site.
	"redirected":        `<img src="/to?{URL}">`,
	"redirected-twice":  `<script src="/to?/to?{URL}"></script>`,
	"redirected-frame":  `<iframe src="/to?{URL}"></iframe>`,
	"redirected-fetch":  `<script>fetch("/to?{URL}", {mode: "no-cors"}).catch(() => {})</script>`,
	"refresh-header":    `<iframe src="/refresh?{URL}"></iframe>`,
	"link-header":       `<iframe src="/link?{URL}"></iframe>`,
	"csp-report":        `<iframe src="/csp?{URL}"></iframe>`,
	"stylesheet-nested": `<link rel="stylesheet" href="/css?{URL}">`,
	"svg-nested":        `<iframe src="/svg?{URL}"></iframe>`,
	"service-worker":    `<script>navigator.serviceWorker?.register("/sw.js?{URL}").catch(() => {})</script>`,
	// Other schemes.
	"ftp":         `<img src="ftp://{HOST}/ftp"><iframe src="ftp://{HOST}/ftp"></iframe>`,
	"file":        `<iframe src="file:///etc/passwd"></iframe><img src="file://{HOST}/file">`,
	"view-source": `<iframe src="view-source:{URL}"></iframe>`,
	"chrome":      `<iframe src="chrome://net-export/"></iframe><iframe srcdoc="<script>location = 'chrome://restart'</script>"></iframe>`,
}

// idleVectors do not connect in this browser, or not in this test. They are tried all the same, because they may in the next version.
var idleVectors = []string{
	// No such feature or scheme in this browser, or switched off by our flags.
	"ping", "speculation", "manifest", "favicon", "prerender", "ftp", "file", "view-source", "chrome", "open",
	// They need the same origin, a secure one, or a pointer.
	"svg-use", "css-filter", "xslt", "css-cursor", "service-worker",
	// They send no HTTP request, which is what is counted.
	"preconnect", "stun", "turn", "webtransport",
}

const vectorTools = `<script>
	const blob = (text, type = "text/javascript") => URL.createObjectURL(new Blob([text], {type}))
	const blobFrame = (text, type) => { const f = document.createElement("iframe"); f.src = blob(text, type); document.body.append(f) }
	const rtc = server => { const c = new RTCPeerConnection({iceServers: [server]}); c.createDataChannel("d"); c.createOffer().then(o => c.setLocalDescription(o)) }
</script>`

// hostile returns a page that tries every vector with a host as the target.
func hostile(scheme, host string) string {
	var page strings.Builder
	page.WriteString("<!doctype html><body>HOSTILE" + vectorTools)
	for _, name := range vectorNames() {
		page.WriteString(vector(name, scheme, host) + "\n")
	}
	return page.String()
}

// vector returns a vector with a host as the target.
func vector(name, scheme, host string) string {
	return strings.NewReplacer("{URL}", scheme+"://"+host+"/v/"+name, "{HOST}", host, "{SCHEME}", scheme).Replace(vectors[name])
}

func vectorNames() []string {
	var all []string
	for name := range vectors {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// insideHosts lists hosts that must not be reached, in all the odd forms that browsers accept.
var insideHosts = []string{
	"127.0.0.1", "localhost", "localhost.", "a.localhost", "127.1", "0177.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "127.0.0.1.", "127.255.255.254",
	"①②⑦.0.0.1", "127。0。0。1", "0.0.0.0", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
	"10.0.0.5", "10.5", "167772165", "012.0.0.5", "[::ffff:10.0.0.5]", "[64:ff9b::a00:5]", "[2002:a00:5::1]", "[2001:0:a00:5::1]",
	"169.254.169.254", "0xa9fea9fe", "2852039166", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[fc00::1]", "[ff02::1]",
	"100.64.0.1", "100.100.100.200", "172.16.0.1", "192.168.0.1", "192.0.0.192", "198.18.0.1", "224.0.0.251", "240.0.0.1", "255.255.255.255", "203.0.113.1",
	"11.0.0.2", "[2a00:11::2]", // the machine itself
	"inside.test", "both.test", "metadata.test", "self.test", "six.test", "mapped.test",
}

// mostHosts returns a page that tries the simplest vectors with all of them, on ports that browsers do not refuse themselves.
func mostHosts(ports ...int) string {
	var page strings.Builder
	page.WriteString("<!doctype html><body>HOSTILE")
	for i, host := range insideHosts {
		port := ports[i%len(ports)]
		fmt.Fprintf(&page, `<img src="http://%[1]s:%[2]d/a"><link rel="stylesheet" href="https://%[1]s:%[2]d/b"><script>try { new WebSocket("ws://%[1]s:%[2]d/c") } catch {}</script>`+"\n", host, port)
	}
	return page.String()
}
