package doctor

import (
	"bufio"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// MemoryLimit returns the memory in bytes that this process may use: the machine's, or less if a
// control group says so; 0 if neither can be read.
func MemoryLimit() int64 { return memoryIn(os.DirFS("/")) }

func memoryIn(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	if total, ok := totalMemory(root); ok {
		least = total
	}
	for _, file := range limitFiles(root) {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			continue
		}
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // otherwise it is "max"
			least = min(least, limit)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// limitFiles returns the files that may limit this process: those of its control group and its
// ancestors, in the hierarchy of version 2 or, for memory, of version 1.
func limitFiles(root fs.FS) (files []string) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch {
		case fields[1] == "":
			files = append(files, upwards("sys/fs/cgroup", fields[2], "memory.max")...)
		case strings.Contains(","+fields[1]+",", ",memory,"):
			files = append(files, upwards("sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes")...)
		}
	}
	return files
}

// upwards names a file in a directory below base and in all directories from there up to base.
func upwards(base, dir, name string) (files []string) {
	for dir = path.Clean("/" + dir); ; dir = path.Dir(dir) {
		files = append(files, path.Join(base, dir, name))
		if dir == "/" {
			return files
		}
	}
}

func totalMemory(root fs.FS) (bytes int64, ok bool) {
	f, err := root.Open("proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), "MemTotal:"); found {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
