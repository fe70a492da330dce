package pagetext

import (
	"image"
	"math"

	"golang.org/x/image/vector"
)

// maxCells is the maximum number of cells per side of the canvas.
const maxCells = 1200

// cell is a small square of the page: its colour, as an index into the palette, and the last operation that covered it.
type cell struct {
	ink     uint16
	covered int32
}

// palette holds the colours of a canvas: white, the unknown colour, and those that were painted.
type palette struct {
	inks   []ink
	places map[ink]uint16
}

// unknown is the index of the unknown colour.
const unknown = 1

func newPalette() palette {
	return palette{[]ink{white, {}}, map[ink]uint16{white: 0, {}: unknown}}
}

// place returns the index of a colour; the unknown one if the palette is full.
func (p *palette) place(i ink) uint16 {
	at, has := p.places[i]
	if !has && len(p.inks) <= math.MaxUint16 {
		at = uint16(len(p.inks))
		p.inks, p.places[i] = append(p.inks, i), at
	} else if !has {
		at = unknown
	}
	return at
}

// canvas is the page as painted so far, without its text, in cells of a point or more.
type canvas struct {
	columns, rows int
	size          float64  // of a cell, in points
	cells         [][]cell // by row; nil for one that is still white
	palette       palette
	budget        *int
}

func newCanvas(width, height float64, budget *int) *canvas {
	size := max(1, width/maxCells, height/maxCells)
	c := &canvas{columns: max(1, int(math.Ceil(width/size))), rows: max(1, int(math.Ceil(height/size))), size: size, palette: newPalette(), budget: budget}
	c.cells = make([][]cell, c.rows)
	*budget -= c.columns * c.rows
	return c
}

// at is the cell at a point. It is false off the page.
func (c *canvas) at(p point) (at cell, on bool) {
	x, y := int(math.Floor(p.x/c.size)), int(math.Floor(p.y/c.size))
	if x < 0 || y < 0 || x >= c.columns || y >= c.rows {
		return cell{}, false
	}
	if c.cells[y] == nil {
		return cell{}, true
	}
	return c.cells[y][x], true
}

// span is a range of cells whose centres are in a box.
type span struct{ x0, y0, x1, y1 int }

func (c *canvas) span(box rect) span {
	index := func(v float64, most int) int { return int(min(max(math.Ceil(v/c.size-0.5), 0), float64(most))) }
	return span{index(box.x0, c.columns), index(box.y0, c.rows), index(box.x1, c.columns), index(box.y1, c.rows)}
}

// shape is the inside of some outlines: a box, or a mask of cells in that box.
type shape struct {
	box  rect
	mask *image.Alpha // nil for the whole box
	size float64
}

func (s shape) has(p point) bool {
	if !s.box.has(p) {
		return false
	}
	return s.mask == nil || s.mask.AlphaAt(int(math.Floor(p.x/s.size)), int(math.Floor(p.y/s.size))).A >= 128
}

// shapeOf returns the inside of outlines.
func (c *canvas) shapeOf(outlines [][]point) shape {
	if len(outlines) == 1 && isBox(outlines[0]) {
		return shape{box: boxOf(outlines[0])}
	}
	var all []point
	for _, outline := range outlines {
		all = append(all, outline...)
	}
	page := rect{0, 0, float64(c.columns) * c.size, float64(c.rows) * c.size}
	s := shape{box: boxOf(all).and(page), size: c.size}
	if s.box.empty() {
		return shape{}
	}
	bounds := image.Rect(int(s.box.x0/c.size), int(s.box.y0/c.size), int(math.Ceil(s.box.x1/c.size)), int(math.Ceil(s.box.y1/c.size)))
	*c.budget -= bounds.Dx() * bounds.Dy()
	if *c.budget < 0 {
		return shape{}
	}
	s.mask = image.NewAlpha(bounds)
	r := vector.NewRasterizer(bounds.Dx(), bounds.Dy())
	room := rect{s.box.x0 - c.size, s.box.y0 - c.size, s.box.x1 + c.size, s.box.y1 + c.size}
	for _, outline := range outlines {
		var last point
		for i, p := range room.within(near(outline)) {
			at := point{p.x/c.size - float64(bounds.Min.X), p.y/c.size - float64(bounds.Min.Y)}
			if i == 0 {
				r.MoveTo(float32(at.x), float32(at.y))
			} else {
				*c.budget -= int(math.Abs(at.x-last.x) + math.Abs(at.y-last.y)) // cells that the line crosses
				r.LineTo(float32(at.x), float32(at.y))
			}
			last = at
		}
		r.ClosePath()
		if *c.budget < 0 {
			return shape{}
		}
	}
	r.Draw(s.mask, bounds, image.Opaque, image.Point{})
	return s
}

// clip is the area that is left after all clips.
type clip struct {
	box  rect
	rest shape // all those that are not boxes; it has no mask if all are
}

// and returns what is left within a shape, whose mask it takes over.
func (c clip) and(s shape) clip {
	c.box = c.box.and(s.box)
	if s.mask == nil {
		return c
	}
	if c.rest.mask != nil {
		s = s.and(c.rest)
	}
	c.rest = s
	return c
}

// and returns the inside of both shapes, which have masks. It takes over that of the first.
func (s shape) and(t shape) shape {
	s.box = s.box.and(t.box)
	both := s.mask.Rect.Intersect(t.mask.Rect)
	s.mask = s.mask.SubImage(both).(*image.Alpha)
	for y := both.Min.Y; y < both.Max.Y; y++ {
		row := s.mask.Pix[s.mask.PixOffset(both.Min.X, y):][:both.Dx()]
		other := t.mask.Pix[t.mask.PixOffset(both.Min.X, y):]
		for x := range row {
			row[x] = min(row[x], other[x])
		}
	}
	return s
}

func (c clip) has(p point) bool { return c.box.has(p) && (c.rest.mask == nil || c.rest.has(p)) }

// paint paints the inside of a shape.
func (c *canvas) paint(s shape, within clip, with paint, operation int32) {
	area := c.span(s.box.and(within.box))
	if area.x0 >= area.x1 {
		return
	}
	plain := s.mask == nil && within.rest.mask == nil
	work := 1
	if within.rest.mask != nil {
		work++
	}
	inside := func(x, y int) bool {
		centre := point{(float64(x) + 0.5) * c.size, (float64(y) + 0.5) * c.size}
		return s.has(centre) && within.has(centre)
	}
	under := uint16(0)
	over := c.palette.place(with.over(c.palette.inks[under]))
	for y := area.y0; y < area.y1; y++ {
		if *c.budget -= (area.x1 - area.x0) * work; *c.budget < 0 {
			return
		}
		if c.cells[y] == nil {
			c.cells[y] = make([]cell, c.columns)
		}
		if plain && with.replaces() {
			fill(c.cells[y][area.x0:area.x1], cell{over, operation})
			continue
		}
		for x := area.x0; x < area.x1; x++ {
			if !plain && !inside(x, y) {
				continue
			}
			at := &c.cells[y][x]
			if at.ink != under {
				under = at.ink
				over = c.palette.place(with.over(c.palette.inks[under]))
			}
			at.ink = over
			if with.covers() {
				at.covered = operation
			}
		}
	}
}

func fill(row []cell, with cell) {
	for x := range row {
		row[x] = with
	}
}
