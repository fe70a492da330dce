package schema

const notList = "Input should be a valid list"

func (t Tuple[V]) check(d *decoder, value any) { t.decode(d, value) }

func (t Tuple[V]) decode(d *decoder, value any) []V {
	items, ok := value.([]any)
	if !ok {
		d.refuse("list_type", notList)
		return nil
	}
	t.checkLength(d, len(items))
	all := make([]V, min(len(t), len(items)))
	for i := range all {
		all[i] = decodeItem(d, t[i], items, i)
	}
	return all
}

func (t Tuple[V]) checkLength(d *decoder, length int) {
	switch want := len(t); {
	case length < want:
		d.refuse("too_short", "List should have at least %d item%s after validation, not %d", want, plural(want), length)
	case length > want:
		d.refuse("too_long", "List should have at most %d item%s after validation, not %d", want, plural(want), length)
	}
}

func (t Tuple[V]) canonical(value any) any {
	items := value.([]any)
	all := make([]any, len(items))
	for i := range all {
		all[i] = t[i].canonical(items[i])
	}
	return all
}

func (l List[V]) check(d *decoder, value any) { l.decode(d, value) }

func (l List[V]) decode(d *decoder, value any) (all []V) {
	items, ok := value.([]any)
	if !ok {
		d.refuse("list_type", notList)
		return nil
	}
	if l.Most > 0 && len(items) > l.Most {
		d.refuse("too_long", "List should have at most %d item%s after validation, not %d", l.Most, plural(l.Most), len(items))
		return nil
	}
	for i := 0; i < len(items) && !d.full(); i++ {
		all = append(all, decodeItem(d, l.Items, items, i))
	}
	return all
}

func (l List[V]) canonical(value any) any {
	items := value.([]any)
	all := make([]any, len(items))
	for i := range all {
		all[i] = l.Items.canonical(items[i])
	}
	return all
}

func decodeItem[V any](d *decoder, kind Type[V], items []any, i int) V {
	d.enter(i)
	defer d.leave()
	return kind.decode(d, items[i])
}

// check reports the violations of every alternative, as Pydantic does.
func (e Either) check(d *decoder, value any) {
	tried := decoder{path: d.path}
	for _, kind := range e {
		before := tried.found
		if kind.check(&tried, value); tried.found == before {
			return
		}
	}
	d.found += tried.found
	d.violations = append(d.violations, tried.violations[:min(len(tried.violations), MaxViolations-len(d.violations))]...)
}

func (e Either) decode(d *decoder, value any) (none None) {
	e.check(d, value)
	return none
}

func (e Either) canonical(value any) any { return value }
