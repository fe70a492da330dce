package doctor

import (
	"testing"
	"testing/fstest"
)

// The memory of the process is the smallest that the machine and its control groups allow.
func TestMemoryLimit(t *testing.T) {
	const meminfo = "MemTotal:        8388608 kB\nMemFree: 1 kB\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing":   {nil, 0},
		"machine":   {map[string]string{"proc/meminfo": meminfo}, 8 << 30},
		"unlimited": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 8 << 30},
		"group":     {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "1073741824\n"}, 1 << 30},
		"parent":    {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max", "sys/fs/cgroup/a/memory.max": "2147483648"}, 2 << 30},
		"container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912"}, 512 << 20},
		"version 1": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "3:cpu:/a\n2:hugetlb,memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "4096"}, 4096},
		"larger":    {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "2:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"}, 8 << 30},
	} {
		root := fstest.MapFS{}
		for file, text := range tc.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryIn(root); got != tc.want {
			t.Errorf("%s: got %d, want %d", name, got, tc.want)
		}
	}
	if MemoryLimit() < 64<<20 {
		t.Errorf("this machine has %d bytes", MemoryLimit())
	}
}
