package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
)

// The oldest kernel: pidfds, by which browsers are ended, and control groups of version 2 as in Debian 11.
const leastMajor, leastMinor = 5, 10

// Kernel checks the kernel's release, and whether it lets browsers make the namespaces of their sandbox. proc is the file system below /proc. Without
// a sandbox namespaces do not matter.
func Kernel(release string, proc fs.FS, sandbox bool) Check {
	return Check{"kernel", func(context.Context) []Finding {
		all := []Finding{kernelRelease(release)}
		if sandbox {
			all = append(all, namespaces(proc))
		}
		return all
	}}
}

func kernelRelease(release string) Finding {
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil {
		return warn("run a Linux kernel", "%q is not a release of Linux", release)
	}
	if major < leastMajor || major == leastMajor && minor < leastMinor {
		return fail(fmt.Sprintf("upgrade the kernel to %d.%d or later", leastMajor, leastMinor), "Linux %s", release)
	}
	return ok("Linux %s", release)
}

// namespaces checks the settings by which distributions restrict user namespaces. A starting browser proves more (Browser); this says why one does
// not start.
func namespaces(proc fs.FS) Finding {
	setting := func(name string) string {
		b, err := fs.ReadFile(proc, "sys/"+name)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(b))
	}
	switch {
	case setting("user/max_user_namespaces") == "0":
		return fail("sysctl -w user.max_user_namespaces=15000, and write that to /etc/sysctl.d", "user namespaces are switched off")
	case setting("kernel/unprivileged_userns_clone") == "0":
		return fail("sysctl -w kernel.unprivileged_userns_clone=1, and write that to /etc/sysctl.d", "user namespaces are for root only")
	case setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
		return warn("install the package, whose AppArmor profile allows them to the browser", "AppArmor restricts user namespaces")
	}
	return ok("user namespaces are allowed")
}
