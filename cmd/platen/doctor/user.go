package doctor

import "context"

// User checks that the command runs as the node will: the node's user lacks permissions that root
// has.
func User(uid int) Check {
	return Check{"user", func(context.Context) []Finding {
		if uid == 0 {
			return []Finding{warn("run it as the node's user: `runuser -u platen -- platen doctor --config FILE`", "this is root, who may more than a node should")}
		}
		return []Finding{ok("not root")}
	}}
}
