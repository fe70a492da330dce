package doctor

import "context"

// Memory in bytes: for the node and two pages, and for the normal load of a host with two
// processors.
const (
	leastMemory  = 1 << 30
	enoughMemory = 2 << 30
)

// Memory checks the memory that the machine and the control group allow the node, and its processors.
func Memory(bytes int64, processors int) Check {
	return Check{"memory and processors", func(context.Context) []Finding {
		all := []Finding{memory(bytes)}
		if processors < 2 {
			return append(all, warn("give it two or more", "one processor: a page that works hard delays everything"))
		}
		return append(all, ok("%d processors", processors))
	}}
}

func memory(bytes int64) Finding {
	const do = "give the host more, or raise MemoryMax of the unit"
	switch mb := bytes >> 20; {
	case bytes == 0:
		return warn(do, "nothing says how much memory there is")
	case bytes < leastMemory:
		return fail(do, "%d MiB: not enough for a browser", mb)
	case bytes < enoughMemory:
		return warn(do, "%d MiB: few pages at once", mb)
	default:
		return ok("%d MiB", mb)
	}
}
