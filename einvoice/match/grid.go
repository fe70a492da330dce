package match

// grid finds the items near a line of a page, by bands.
type grid map[[2]int][]int

const (
	bandHeight = 12 // points
	bandReach  = 24 // how far from a line the middle of something in that line may be
)

func (g grid) add(b box, index int) {
	key := [2]int{b.page, int(b.middle()) / bandHeight}
	g[key] = append(g[key], index)
}

// near calls with for the items of a grid near a line, in no particular order, as long as there is work left.
func (v *view) near(g grid, b box, with func(index int)) {
	for n := int(b.top-bandReach) / bandHeight; n <= int(b.bottom+bandReach)/bandHeight; n++ {
		items := g[[2]int{b.page, n}]
		const band = 4 // to find its items
		if !v.spend(len(items) + band) {
			return
		}
		for _, index := range items {
			with(index)
		}
	}
}

// amountsNear calls with the amounts near a line.
func (v *view) amountsNear(b box, with func(a *amount)) {
	v.near(v.amountGrid, b, func(i int) { with(&v.amounts[i]) })
}

// piecesNear calls with the numbers of the pieces near a line.
func (v *view) piecesNear(b box, with func(n int)) { v.near(v.pieceGrid, b, with) }

// someAmount reports whether an amount near a line satisfies is.
func (v *view) someAmount(b box, is func(a *amount) bool) (found bool) {
	v.amountsNear(b, func(a *amount) { found = found || is(a) })
	return found
}
