package main

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// The almanac is the long document: a season in an invented harbour, one page a
// day after a cover and a page of explanations. Everything in it is computed, so
// that every page differs and every run prints the same.
const (
	almanacPages = 200
	frontPages   = 2
)

var firstDay = time.Date(2027, time.April, 1, 0, 0, 0, 0, time.UTC)

// almanac returns the document in HTML, within what one job may submit.
func almanac() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sandhaven Harbour Almanac 2027</title></head>` +
		`<body style="margin:0;font:13pt/1.5 'Noto Serif',serif;color:#1d2733">`)
	b.WriteString(cover)
	b.WriteString(explanations)
	for i := range almanacPages - frontPages {
		writeDay(&b, firstDay.AddDate(0, 0, i))
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

const cover = `<div style="height:220mm;padding:28mm 20mm;box-sizing:border-box;color:#fff;background:linear-gradient(#0b1d3a,#24507c 45%,#f0a868 62%,#f7d9a8 66%,#2f6f8f 66%,#0f3550)">
<p style="margin:0;letter-spacing:3pt">SANDHAVEN</p>
<h1 style="margin:6pt 0;font-size:46pt;line-height:1.1">Harbour Almanac</h1>
<p style="font-size:17pt">Tides, light and moon<br>1 April to 15 October 2027</p></div>
`

const explanations = `<div style="break-before:page"><h2>How to read a page</h2>
<p>Each page is one day, and all times are UTC. The upper band is the <b>sky</b> from midnight to midnight: night, dawn, day, dusk, night. The lower band is the <b>water</b> at the harbour wall: the darker, the deeper.</p>
<p>The table lists high and low water with the height above chart datum. <b>Range</b> is the difference between the day's extremes. Around new and full moon it is large, and the tide is called a <i>spring</i>; around the half moons it is small, a <i>neap</i>.</p>
<p>The <b>sandbar</b> may be crossed on foot while the water stands below 1.6 metres, and should be crossed in daylight only. The hours given are those in which both are true.</p>
<h2>How it is made</h2>
<p>Sunrise and sunset follow from the sun's declination and the equation of time for 52° north, 0° east. The tide is a sum of three waves, one of the moon, one of the sun and one of the moon's uneven distance, with amplitudes that suit a harbour in the North Sea.</p>
<p><b>Sandhaven does not exist.</b> Whoever navigates by this almanac does so on an imaginary ship.</p></div>
`

// writeDay writes the page of one day. Its style is terse: two hundred pages
// share 240 KiB.
func writeDay(b *strings.Builder, day time.Time) {
	sun, moon, water := sunOn(day), moonOn(day), waterOn(day)
	fmt.Fprintf(b, `<div style="break-before:page"><p style="float:right;margin:0;font-size:72pt;line-height:1;color:#24507c">%d</p>`, day.Day())
	fmt.Fprintf(b, "<h2 style=\"margin:0\">%s</h2><p>%s 2027 · day %d · week %d<br>%s %s, %d %%</p>\n",
		day.Weekday(), day.Month(), day.YearDay(), week(day), moon.sign, moon.name, moon.lit)
	band(b, sun.sky())
	b.WriteString(`<p style="margin:0;text-align-last:justify;color:#667">0 3 6 9 12 15 18 21 24</p>`)
	band(b, water.shades())
	fmt.Fprintf(b, "<p>Sunrise <b>%s</b>, highest at %s, sunset <b>%s</b>: %s of light.</p>\n",
		clock(sun.rise), clock(sun.noon), clock(sun.set), duration(sun.set-sun.rise))
	b.WriteString(`<table width="100%" cellpadding="7" cellspacing="0"><tbody align="center"><tr bgcolor="#e8eef4"><th>Tide<th>Time<th>Height`)
	for _, e := range water.extremes {
		fmt.Fprintf(b, `<tr%s><td>%s<td>%s<td>%.1f m`, e.shade(), e.name(), clock(e.minute), e.height)
	}
	fmt.Fprintf(b, "</table><p>Range %.1f m, %s. %s</p>\n", water.reach(), water.kind(), crossing(water, sun))
	fmt.Fprintf(b, "<p>%s %s</p></div>\n", html.EscapeString(harbourNote(day)), html.EscapeString(galleyNote(day)))
}

// band draws 24 hours as a strip of colours from left to right.
func band(b *strings.Builder, colours string) {
	fmt.Fprintf(b, `<div style="height:44pt;background:linear-gradient(90deg,%s)"></div>`, colours)
}

func week(day time.Time) int {
	_, w := day.ISOWeek()
	return w
}

// crossing says when the sandbar is dry and the sun is up.
func crossing(w water, s sun) string {
	spans := w.below(1.6, s.rise, s.set)
	if len(spans) == 0 {
		return "The sandbar stays closed today."
	}
	texts := make([]string, len(spans))
	for i, span := range spans {
		texts[i] = fmt.Sprintf("%s to %s", clock(span[0]), clock(span[1]))
	}
	return "The sandbar is open from " + strings.Join(texts, " and from ") + "."
}

// clock writes a minute of the day.
func clock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

func duration(minutes int) string { return fmt.Sprintf("%d h %d min", minutes/60, minutes%60) }
