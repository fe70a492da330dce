package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

const minutesPerDay = 24 * 60

// sun is when the sun rises, stands highest and sets, in minutes of the day.
type sun struct{ rise, noon, set int }

// sunOn follows from the declination and the equation of time, to a few minutes.
func sunOn(day time.Time) sun {
	const latitude, horizon = 52 * math.Pi / 180, -0.833 * math.Pi / 180
	n := float64(day.YearDay())
	declination := -23.44 * math.Pi / 180 * math.Cos(2*math.Pi/365*(n+10))
	b := 2 * math.Pi / 364 * (n - 81)
	noon := 720 - (9.87*math.Sin(2*b) - 7.53*math.Cos(b) - 1.5*math.Sin(b))
	cosine := (math.Sin(horizon) - math.Sin(latitude)*math.Sin(declination)) / (math.Cos(latitude) * math.Cos(declination))
	half := math.Acos(cosine) / (2 * math.Pi) * minutesPerDay
	return sun{int(noon - half), int(noon), int(noon + half)}
}

// sky is a gradient from midnight to midnight.
func (s sun) sky() string {
	at := func(minute int) int { return minute * 100 / minutesPerDay }
	return fmt.Sprintf("#0b1d3a %d%%,#f0a868 %d%%,#bfe0f5 %d%%,#bfe0f5 %d%%,#f0a868 %d%%,#0b1d3a %d%%",
		at(s.rise-75), at(s.rise), at(s.rise+75), at(s.set-75), at(s.set), at(s.set+75))
}

// moon is how the moon looks.
type moon struct {
	sign, name string
	lit        int // percent of the disc
}

// elongation is how far the moon has run from the sun, in turns since some new moon.
func elongation(t time.Time) float64 {
	const synodic = 29.530588 // days
	newMoon := time.Date(2000, time.January, 6, 18, 14, 0, 0, time.UTC)
	return t.Sub(newMoon).Hours() / 24 / synodic
}

func moonOn(day time.Time) moon {
	_, phase := math.Modf(elongation(day.Add(12 * time.Hour)))
	names := []string{"new moon", "waxing crescent", "first quarter", "waxing gibbous", "full moon", "waning gibbous", "last quarter", "waning crescent"}
	i := int(math.Round(phase*8)) % 8
	return moon{
		sign: string(rune('🌑' + i)), name: names[i],
		lit: int(math.Round(50 * (1 - math.Cos(2*math.Pi*phase)))),
	}
}

// water is the tide of one day.
type water struct {
	heights  [minutesPerDay + 1]float64 // metres, by minute
	extremes []extreme
}

// extreme is a high or low water.
type extreme struct {
	minute int
	height float64
	high   bool
}

func (e extreme) name() string {
	if e.high {
		return "High"
	}
	return "Low"
}

// shade is the attribute that sets low waters apart.
func (e extreme) shade() string {
	if e.high {
		return ""
	}
	return ` bgcolor="#f4f7fa"`
}

// waterOn adds the waves of the moon (M2), the sun (S2) and the moon's distance
// (N2). Spring tides follow new and full moon by a day and a half.
func waterOn(day time.Time) water {
	var w water
	for minute := range w.heights {
		t := day.Add(time.Duration(minute) * time.Minute)
		days := t.Sub(firstDay).Hours() / 24
		solar := 2 * math.Pi * 2 * days
		lunar := solar - 2*2*math.Pi*elongation(t.Add(-36*time.Hour))
		distance := lunar - 2*math.Pi*days/27.554551
		w.heights[minute] = 2.9 + 1.35*math.Cos(lunar) + 0.48*math.Cos(solar) + 0.28*math.Cos(distance)
	}
	w.findExtremes()
	return w
}

func (w *water) findExtremes() {
	for minute := 1; minute < minutesPerDay; minute++ {
		before, h, after := w.heights[minute-1], w.heights[minute], w.heights[minute+1]
		if high := h >= before && h > after; high || h <= before && h < after {
			w.extremes = append(w.extremes, extreme{minute, h, high})
		}
	}
}

// shades is a gradient of the water's height, hour by hour.
func (w *water) shades() string {
	blues := strings.Fields("#def #cdf #bdf #ade #9ce #8bd #7ac #69b #58b #47a #369 #258 #147 #136 #025 #014")
	hours := make([]string, 25)
	for hour := range hours {
		level := int(w.heights[hour*60] / 5.2 * float64(len(blues)))
		hours[hour] = blues[max(0, min(level, len(blues)-1))]
	}
	return strings.Join(hours, ",")
}

// reach is the difference between the day's highest and lowest water.
func (w *water) reach() float64 {
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, h := range w.heights {
		lowest, highest = min(lowest, h), max(highest, h)
	}
	return highest - lowest
}

func (w *water) kind() string {
	switch reach := w.reach(); {
	case reach > 3.4:
		return "a spring tide"
	case reach < 2.2:
		return "a neap tide"
	}
	return "a middling tide"
}

// below lists the spans between two minutes in which the water is below a height.
func (w *water) below(height float64, from, to int) (spans [][2]int) {
	dry := false
	for minute := from; minute <= to; minute++ {
		if w.heights[minute] < height {
			if !dry {
				spans = append(spans, [2]int{minute, minute})
			}
			spans[len(spans)-1][1] = minute
		}
		dry = w.heights[minute] < height
	}
	return spans
}
