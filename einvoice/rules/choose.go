package rules

// Choose are the sets of these names or, if there are none, those for a profile. Its error is that of Named.
func Choose(names []string, profile string) ([]*Set, error) {
	if len(names) == 0 {
		return For(profile), nil
	}
	return Named(names)
}
