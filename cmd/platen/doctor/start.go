package doctor

import "context"

// Start checks that something does not keep a node from starting. try finds that out as the node does, but changes nothing, and says how it is.
func Start(name string, try func(context.Context) (is string, err error)) Check {
	return Check{name, func(ctx context.Context) []Finding {
		is, err := try(ctx)
		if err != nil {
			return []Finding{fail("mend what the error names: the node does not start", "%s", err)}
		}
		return []Finding{ok("%s", is)}
	}}
}
