package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// soakSample is a sample of a node at one moment.
type soakSample struct {
	after time.Duration
	// nodeBytes and browserBytes are memory (PSS), cacheBytes what of the node's is caches of databases; descriptors counts those of all processes.
	nodeBytes, browserBytes, cacheBytes int64
	processes, descriptors, goroutines  int
	// disk is the disk usage of each entry of the data directory, without results; surplusBytes is the size of results beyond the files that jobs made.
	disk                      map[string]int64
	resultBytes, surplusBytes int64
	p50, p99                  time.Duration
	counts
}

// String formats a progress line.
func (s soakSample) String() string {
	return fmt.Sprintf("  %4.0f min: node %.0f MiB (caches %.0f), browsers %.0f MiB; %d processes, %d descriptors, %d goroutines; disk %.0f MiB and results %.0f MiB; "+
		"probe p50 %s p99 %s; %d done, %d failed and %d refused as expected, %d unexpected",
		s.after.Minutes(), mib(s.nodeBytes), mib(s.cacheBytes), mib(s.browserBytes), s.processes, s.descriptors, s.goroutines, mib(s.diskBytes()), mib(s.resultBytes),
		ms(s.p50), ms(s.p99), s.Done, s.Failed, s.Refused, s.Unexpected)
}

// diskBytes returns the disk usage of the data directory, without results.
func (s soakSample) diskBytes() (sum int64) {
	for _, bytes := range s.disk {
		sum += bytes
	}
	return sum
}

func (k *soak) sample(after time.Duration) (s soakSample, err error) {
	root := k.platen.cmd.Process.Pid
	s = soakSample{after: after, counts: k.tally.now()}
	s.p50, s.p99 = k.probes.percentiles()
	if s.nodeBytes, err = proportionalSize([]int{root}); err != nil {
		return s, err
	}
	pids := family(root)
	whole, err := proportionalSize(pids)
	if err != nil {
		return s, err
	}
	s.browserBytes, s.processes = max(0, whole-s.nodeBytes), len(pids)
	for _, pid := range pids {
		open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)) // one that has ended has none
		s.descriptors += len(open)
	}
	families, err := k.platen.metrics()
	if err != nil {
		return s, err
	}
	for _, m := range families["platen_cache_bytes"].GetMetric() {
		s.cacheBytes += int64(m.GetGauge().GetValue())
	}
	for _, m := range families["go_goroutines"].GetMetric() {
		s.goroutines = int(m.GetGauge().GetValue())
	}
	s.disk, s.resultBytes = diskOf(k.platen.dir, "files")
	s.surplusBytes = s.resultBytes - int64(filesMade(families))
	return s, nil
}

// diskOf returns the disk usage of each entry of a directory except apart, and the total size of the files in apart.
func diskOf(dir, apart string) (parts map[string]int64, size int64) {
	parts = map[string]int64{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // files deleted meanwhile do not count
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		inside, _ := filepath.Rel(dir, path) // WalkDir has found path below dir
		part, _, _ := strings.Cut(inside, string(filepath.Separator))
		if part == apart {
			size += info.Size()
		} else if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			parts[part] += stat.Blocks * 512
		}
		return nil
	})
	return parts, size
}
