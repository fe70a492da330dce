package doctor

import "context"

// Secret checks that the oldest secret is the one that the node has worked with. compare returns the names of both, the former "" if it is not known,
// and what to do if they differ. A node starts all the same.
func Secret(compare func() (now, before, do string, err error)) Check {
	return Check{"oldest secret", func(context.Context) []Finding {
		now, before, do, err := compare()
		switch {
		case err != nil:
			return []Finding{warn("mend what the error names", "it was not compared: %s", err)}
		case before == "":
			return []Finding{ok("not compared: no node has noted it")}
		case now != before:
			return []Finding{warn(do, "it is %s, it was %s: webhooks are signed with other keys", now, before)}
		}
		return []Finding{ok("it has not changed")}
	}}
}
