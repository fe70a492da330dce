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

// near calls with for the items near a line, in no particular order.
func (g grid) near(b box, with func(index int)) {
	for band := int(b.top-bandReach) / bandHeight; band <= int(b.bottom+bandReach)/bandHeight; band++ {
		for _, index := range g[[2]int{b.page, band}] {
			with(index)
		}
	}
}

// amountsNear calls with the amounts near a line.
func (v *view) amountsNear(b box, with func(a *amount)) {
	v.amountGrid.near(b, func(i int) { with(&v.amounts[i]) })
}

// someAmount reports whether an amount near a line satisfies is.
func (v *view) someAmount(b box, is func(a *amount) bool) (found bool) {
	v.amountsNear(b, func(a *amount) { found = found || is(a) })
	return found
}
