package blocks

const (
	// cellPadding is the white at both sides of a cell of a table, in millimetres.
	cellPadding = 3
	// leastLabel is the minimum width of the label of a total beside its value, in millimetres.
	leastLabel = 35
)

// layOutSums decides how the VAT breakdown and the totals fit on the page. They are side by side if neither is wider than
// half of it and both are kept on one page.
func layOutSums(s sheet, v *vatBreakdown, a *amountsDue) (beside bool) {
	const gap = 10
	half := (s.width - gap) / 2
	if v != nil {
		v.Stacked = v.width() > s.width
	}
	if a != nil {
		a.Stacked = a.width() > s.width
	}
	if v != nil && a != nil && !s.narrow() && v.width() <= half && a.width() <= half && s.keeps(max(v.height(half), a.height(half))) {
		return true
	}
	if a != nil {
		a.Width = min(max(a.width()+leastLabel, 95), s.width)
	}
	return false
}

// width is the least width of the table, in millimetres.
func (v *vatBreakdown) width() float64 {
	const category = 22
	var rate, basis, amount float64
	for _, row := range v.Rows {
		rate, basis, amount = max(rate, widestPiece(row.Rate, bodySize)), max(basis, widestPiece(row.Basis, bodySize)), max(amount, widestPiece(row.Amount, bodySize))
	}
	return category + rate + basis + amount + 4*cellPadding
}

func (v *vatBreakdown) height(width float64) (height float64) {
	for _, row := range v.Rows {
		height += 8 + heightOf(row.Reason, detailSize, width)
	}
	return height
}

// width is the least width of the totals, in millimetres, as wide as if all were as large as the total.
func (a *amountsDue) width() float64 {
	number := 0.0
	for _, row := range a.all() {
		number = max(number, widestPiece(row.Value, totalSize))
	}
	return leastLabel + number + 2*cellPadding
}

func (a *amountsDue) height(width float64) (height float64) {
	for _, row := range a.all() {
		height += 2 + heightOf(row.Label, bodySize, width-a.width()+leastLabel)
	}
	return height
}

func (a *amountsDue) all() []field {
	return append(append(a.Rows[:len(a.Rows):len(a.Rows)], a.Total), a.Due...)
}
