//go:build integration

package rules

import (
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen.dev/einvoice"
	"platen.dev/einvoice/ubl"
)

// origin is an invoice that is changed to make an example, with the sets that it is for and the rules of each that it breaks itself.
type origin struct {
	mutant
	ubl    bool
	broken map[string][]string
}

func (o *origin) parse(document string) (*einvoice.Invoice, error) {
	if o.ubl {
		return einvoice.ParseUBL([]byte(document))
	}
	return einvoice.ParseSchemaOnly([]byte(document), o.profile)
}

// id is a hash of the document.
func (o *origin) id() string {
	h := fnv.New64a()
	h.Write([]byte(o.document))
	return fmt.Sprintf("%016x", h.Sum64())
}

// examine notes the rules that the origin breaks, and reports whether its schema accepts it.
func (o *origin) examine(t *testing.T) bool {
	invoice, err := o.parse(o.document)
	if err != nil {
		return false
	}
	o.broken = map[string][]string{}
	for _, set := range o.sets() {
		o.broken[set] = identifiersOf(invoice, named(t, set))
	}
	return true
}

func identifiersOf(invoice *einvoice.Invoice, set *Set) (ids []string) {
	for _, v := range Check(invoice, set).Violations {
		ids = append(ids, v.Rule)
	}
	return unique(ids)
}

// sets are those that the origin is for.
func (o *origin) sets() (all []string) {
	if o.ubl {
		for prefix, of := range map[string]string{"XRechnung": "xrechnung", "Peppol": "peppol", "Self-billing": "peppol-selfbilling"} {
			if strings.HasPrefix(o.change, prefix) {
				return []string{of}
			}
		}
		return []string{"en16931", "platen"}
	}
	for _, on := range triedOn {
		if slices.Contains(on.profiles, o.profile) && o.isFor(on.set) {
			all = append(all, on.set)
		}
	}
	return append(all, "platen")
}

// step is an origin with the documents that one change makes of it.
type step struct {
	from *origin
	to   func() []string
}

// stepsOf returns the steps from every origin.
func stepsOf(t *testing.T) (all []step) {
	add := func(bases []mutant, ubl bool) {
		for _, base := range bases {
			for _, c := range base.origins {
				m := base
				m.document = c.of
				all = append(all, step{&origin{mutant: m, ubl: ubl}, c.to})
			}
			if !base.alone {
				all = append(all, step{&origin{mutant: base, ubl: ubl}, base.documents})
			}
		}
	}
	add(bases(t), false)
	add(slices.Concat(ublBases(t), allOfPeppol(t), allOfSelfBilling(t)), true)
	return slices.Concat(all, ublSteps())
}

// documents returns many of the documents that one change makes.
func (m mutant) documents() (all []string) {
	for _, changed := range m.changed() {
		if m.large || sampled(changed.change, 11) {
			all = append(all, changed.document)
		}
	}
	return all
}

// ublSteps add each element that EN 16931 does not use to the smallest invoices.
func ublSteps() (all []step) {
	for n, root := range ubl.Roots() {
		with := func(also ...string) string {
			w := &ublWriter{also: also, creditNote: n == 1}
			w.element(root, "", 0)
			return w.String()
		}
		from := &origin{mutant: mutant{profile: root.Name, change: root.Name + ": ", document: with()}, ubl: true}
		all = append(all, step{from, func() (to []string) {
			for _, path := range unusedPathsOfUBL() {
				to = append(to, with(path))
			}
			return to
		}})
	}
	return all
}

// candidate is an origin and a document that one change makes of it.
type candidate struct {
	from     *origin
	document string
	// fixes is set if the change mends the origin instead of breaking it.
	fixes bool
	// price is low if few other rules are concerned and few lines are changed.
	price int
}

// kept and broken are the lines of the invoice that keeps the rule, and of the one that breaks it.
func (c candidate) kept() []string {
	if c.fixes {
		return strings.Split(indented(c.document), "\n")
	}
	return strings.Split(indented(c.from.document), "\n")
}

func (c candidate) broken() []string {
	c.fixes = !c.fixes
	return c.kept()
}

// search returns the best candidate for each rule that a step breaks, by the key of its example.
func search(t *testing.T) map[string]candidate {
	steps := stepsOf(t)
	best, lock := map[string]candidate{}, sync.Mutex{}
	var group sync.WaitGroup
	next := make(chan step)
	for range 2 {
		group.Go(func() {
			for s := range next {
				for key, c := range s.candidates(t) {
					lock.Lock()
					if before, has := best[key]; !has || c.price < before.price {
						best[key] = c
					}
					lock.Unlock()
				}
			}
		})
	}
	for n, s := range steps {
		if n%50 == 0 {
			t.Logf("%d of %d invoices are searched", n, len(steps))
		}
		next <- s
	}
	close(next)
	group.Wait()
	return best
}

func (s step) candidates(t *testing.T) map[string]candidate {
	best := map[string]candidate{}
	if !s.from.examine(t) {
		return nil
	}
	lines := strings.Split(s.from.document, "\n")
	for _, document := range s.to() {
		invoice, err := s.from.parse(document)
		if err != nil {
			continue
		}
		change := 0
		for set, before := range s.from.broken {
			after := identifiersOf(invoice, named(t, set))
			broken, fixed := notIn(after, before), notIn(before, after)
			if len(broken)+len(fixed) > 0 && change == 0 {
				change = s.from.sizeOf(lines, document)
			}
			for n, id := range slices.Concat(broken, fixed) {
				c := candidate{s.from, document, n >= len(broken), change + 100*(len(broken)+len(fixed)-1)}
				if c.fixes {
					c.price += 20
				}
				key := exampleKey(set, s.from.ubl, id)
				if other, has := best[key]; !has || c.price < other.price {
					best[key] = c
				}
			}
		}
	}
	return best
}

// notIn returns the identifiers that others lack.
func notIn(ids, others []string) []string {
	return keep(ids, func(id string) bool { return !slices.Contains(others, id) })
}

// sizeOf measures a change: by its lines, their length, and whether the invoice is one that people would write.
func (o *origin) sizeOf(before []string, document string) int {
	_, removed, added := differing(before, strings.Split(document, "\n"))
	size := 10*(len(removed)+len(added)) + (len(strings.Join(removed, ""))+len(strings.Join(added, "")))/10
	if o.large {
		size += 60
	}
	was, is := strings.Join(removed, ""), strings.Join(added, "")
	// Of blank texts and schemes, the official rules have their own idea.
	for text, price := range map[string]int{"> <": 300, `=" "`: 300, `=""`: 300, "></": 30} {
		if strings.Contains(is, text) || strings.Contains(was, text) {
			size += price
		}
	}
	if len(removed) == len(added) && strings.Contains(was, "listID") && !strings.Contains(is, "listID") {
		size += 300
	}
	return size
}

// differing returns the lines by which two documents differ, and the index of the first.
func differing(a, b []string) (from int, removed, added []string) {
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	to := 0
	for to < min(len(a), len(b))-from && a[len(a)-1-to] == b[len(b)-1-to] {
		to++
	}
	return from, a[from : len(a)-to], b[from : len(b)-to]
}

// mended marks the origin of an example that breaks the rule, until the change.
const mended = " mended"

// record makes the example of a candidate.
func (c candidate) record(t *testing.T, key string) exampleRecord {
	kept := c.kept()
	from, removed, added := differing(kept, c.broken())
	place := placeOf(kept, from, from+len(removed))
	r := exampleRecord{key: key, invoice: fmt.Sprintf("%s %d", c.from.id(), from), path: place.path}
	if c.fixes {
		r.invoice += mended
	}
	show := func(mark string, lines ...string) {
		for _, line := range lines {
			r.lines = append(r.lines, mark+strings.TrimPrefix(line, place.indent))
		}
	}
	show(" ", place.before...)
	show("-", removed...)
	show("+", added...)
	show(" ", place.after...)
	return r
}

// place is what surrounds lines of a document.
type place struct {
	path, indent  string
	before, after []string
}

// placeOf returns the element around the lines, and one sibling line on each side.
func placeOf(lines []string, from, to int) (p place) {
	depth := func(n int) int {
		if text := strings.TrimLeft(lines[n], " "); strings.HasPrefix(text, "<") {
			return len(lines[n]) - len(text)
		}
		return 1 << 20 // a line within a text
	}
	inner := depth(min(from, len(lines)-2))
	if from == to && strings.HasPrefix(strings.TrimSpace(lines[from]), "</") {
		inner += 2
	}
	parent := -1
	var path []string
	for n, below := from-1, inner; n > 0; n-- {
		if at := depth(n); at < below && strings.HasPrefix(lines[n][at:], "<") && !strings.HasPrefix(lines[n][at:], "</") {
			if below = at; parent < 0 {
				parent = n
			}
			name, _, _ := strings.Cut(strings.Trim(lines[n][at:], "<>"), " ")
			path = append(path, name)
		}
	}
	if parent < 0 {
		return place{path: "/"}
	}
	slices.Reverse(path)
	p.path, p.indent = "/"+strings.Join(path, "/"), lines[parent][:depth(parent)]
	p.before = append(p.before, lines[parent])
	skipped := p.indent + "  …"
	if from-1 > parent {
		whole := leaf.MatchString(lines[from-1])
		if from-2 > parent || !whole {
			p.before = append(p.before, skipped)
		}
		if whole {
			p.before = append(p.before, lines[from-1])
		}
	}
	end := to
	for end < len(lines)-1 && depth(end) > depth(parent) {
		end++
	}
	if end > to {
		whole := leaf.MatchString(lines[to])
		if whole {
			p.after = append(p.after, lines[to])
		}
		if end > to+1 || !whole {
			p.after = append(p.after, skipped)
		}
	}
	p.after = append(p.after, lines[end])
	return p
}

var token = regexp.MustCompile(`<[^>]*>|[^<]+`)

// indented returns a document with an element per line.
func indented(document string) string {
	var out strings.Builder
	depth, leaf := 0, false
	newline := func() { out.WriteString("\n" + strings.Repeat("  ", depth)) }
	tokens := token.FindAllString(strings.TrimSpace(document), -1)
	for n, tok := range tokens {
		switch {
		case strings.HasPrefix(tok, "<?"):
			out.WriteString(tok)
		case strings.HasPrefix(tok, "</"):
			if depth--; !leaf {
				newline()
			}
			out.WriteString(tok)
			leaf = false
		case strings.HasPrefix(tok, "<"):
			newline()
			out.WriteString(tok)
			if leaf = !strings.HasSuffix(tok, "/>"); leaf {
				depth++
			}
		case leaf && strings.HasPrefix(tokens[n+1], "</"):
			out.WriteString(tok)
		}
	}
	return out.String() + "\n"
}

func writeExamples(t *testing.T, best map[string]candidate) {
	var out strings.Builder
	for _, e := range everyRule() {
		c, has := best[e.key()]
		if !has {
			t.Logf("%s: no example", e.key())
			continue
		}
		r := c.record(t, e.key())
		fmt.Fprintf(&out, "%s\n%s\n%s\n%s\n%s\n\n", r.key, r.invoice, r.path, c.found(t, e.set, e.id), strings.Join(r.lines, "\n"))
	}
	if err := os.WriteFile("examples.txt", []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// found is the message of the violation in the candidate.
func (c candidate) found(t *testing.T, s *Set, id string) string {
	invoice, err := c.from.parse(strings.Join(c.broken(), "\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Check(invoice, s).Violations {
		if v.Rule == id {
			return v.Message
		}
	}
	t.Errorf("%s %s is not broken any more when the lines are indented", s.Name, id)
	return ""
}
