package doctor

import "context"

// Secret checks that the node has the oldest secret that it has worked with. misses returns the name of one that it lacks, "" if none, and what to do.
func Secret(misses func() (name, do string)) Check {
	return Check{"oldest secret", func(context.Context) []Finding {
		if name, do := misses(); name != "" {
			return []Finding{fail(do, "the node lacks the secret %s, which it has worked with: webhooks are signed with other keys", name)}
		}
		return []Finding{ok("it has not changed")}
	}}
}
