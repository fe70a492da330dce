package page

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// sections is a page of sections as high as the window, whose text cannot be seen until script says so.
func sections(script string) string {
	var page strings.Builder
	page.WriteString(`<style>section { height: 100vh } p { opacity: 0 } p.on { opacity: 1; transition: opacity .5s }</style>`)
	for n := range 6 {
		fmt.Fprintf(&page, "<section><p>SECTION%d</p></section>", n+1)
	}
	return page.String() + `<section><p id="never">NEVER</p></section><script>const all = [...document.querySelectorAll("p:not(#never)")]
		all[0].className = "on"
	` + script + `</script>`
}

// What is shown when somebody scrolls to it is shown, even if it is hidden again as it leaves the window. What is never shown stays hidden.
func TestShownWhenScrolledTo(t *testing.T) {
	slot := openSlot(t)
	const observe = `const seen = new IntersectionObserver(es => es.forEach(e => %s)); all.slice(1).forEach(p => seen.observe(p))`
	pages := pagetest.Pages{
		"/once":   sections(fmt.Sprintf(observe, `e.isIntersecting && e.target.classList.add("on")`)),
		"/toggle": sections(fmt.Sprintf(observe, `e.target.classList.toggle("on", e.isIntersecting)`)),
		"/height": sections(`const height = innerHeight
			addEventListener("scroll", () => all.forEach(p => p.getBoundingClientRect().top < 0.8 * height && p.classList.add("on")))`),
		"/scrub": sections(`addEventListener("scroll", () => all.slice(1).forEach((p, n) => p.style.opacity = Math.min(1, Math.max(0, scrollY / 1000 - n))))`),
	}
	web := pagetest.NewWeb(t, pages)
	for path := range pages {
		t.Run(path[1:], func(t *testing.T) {
			text := printed(t, slot, Print{URL: web.URL + path})
			testkit.Contains(t, text, "SECTION1", "SECTION2", "SECTION3", "SECTION4", "SECTION5", "SECTION6")
			if strings.Contains(text, "NEVER") {
				t.Error("what is never shown was printed")
			}
			picture, result := mustCapture(t, slot, Capture{URL: web.URL + path, Options: contract.Image{FullPage: true}})
			if height := result.Height / 7; !inked(picture, image.Rect(0, 4*height, 300, 4*height+60)) {
				t.Error("the image lacks the fifth section")
			}
		})
	}
}

// An image of the window alone does not scroll the page.
func TestWindowIsNotScrolled(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": sections(`addEventListener("scroll", () => { if (scrollY > 0) document.body.style.background = "red" })`)})
	picture, _ := mustCapture(t, slot, Capture{URL: web.URL})
	shows(t, picture, 500, 500, color.RGBA{255, 255, 255, 255})
}

// Of slides of which one is shown at a time, only one is.
func TestSlidesAreNotShownAtOnce(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<style>div { display: grid } p { grid-area: 1 / 1; opacity: 0 } p.on { opacity: 1 }</style><div style="height: 3000px"></div>
		<div><p class="on">FIRST</p><p>SECOND</p><p>THIRD</p></div><script>const all = [...document.querySelectorAll("p")]
		let n = 0
		setInterval(() => { all[n].className = ""; all[n = (n + 1) % 3].className = "on" }, 50)</script>`})
	text := printed(t, slot, Print{URL: web.URL})
	if shown := strings.Count(text, "FIRST") + strings.Count(text, "SECOND") + strings.Count(text, "THIRD"); shown != 1 {
		t.Errorf("%d slides are shown: %s", shown, text)
	}
}

// A list that draws only what the window shows, by the height that a resize event told of, is drawn whole.
func TestListsOfTheWindow(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<div id="list" style="position: relative; height: 7000px"></div><script>
		let height = innerHeight
		const draw = () => {
			list.textContent = ""
			for (let n = Math.floor(scrollY / 35); n < Math.min(200, (scrollY + height) / 35); n++)
				list.insertAdjacentHTML("beforeend", "<div style='position: absolute; top: " + 35 * n + "px'>ROW" + n + ".</div>")
		}
		addEventListener("resize", () => { height = innerHeight; draw() })
		addEventListener("scroll", draw)
		draw()</script>`})
	text := printed(t, slot, Print{URL: web.URL})
	testkit.Contains(t, text, "ROW0.", "ROW50.", "ROW199.")
}
