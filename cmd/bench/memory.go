package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sampleEvery is how often memory is measured: seldom enough that reading the page tables of
// all browsers does not slow them down.
const sampleEvery = 300 * time.Millisecond

// parents returns the parent of every process.
func parents() map[int]int {
	all := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		// The name, in parentheses, may contain anything (proc_pid_stat(5)).
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		all[pid], _ = strconv.Atoi(fields[1])
	}
	return all
}

// family returns a process and its descendants, in whatever sessions they are.
func family(root int) (pids []int) {
	parent := parents()
	for pid := range parent {
		for p := pid; p != 0; p = parent[p] {
			if p == root {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}

// proportionalSize is the memory of processes in bytes, what several share divided among
// them (PSS). Processes that end meanwhile count as nothing.
func proportionalSize(pids []int) (total int64, err error) {
	for _, pid := range pids {
		rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if errors.Is(err, fs.ErrPermission) {
			return 0, err
		}
		_, rest, _ := strings.Cut(string(rollup), "\nPss:")
		line, _, _ := strings.Cut(rest, "kB")
		kib, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		total += kib << 10
	}
	return total, nil
}

// peakWhile returns the most memory that a process and its descendants have together (PSS, in
// bytes) at any moment while work runs, as far as samples show it.
func peakWhile(root int, work func() error) (peak int64, err error) {
	var failure error
	sample := func() {
		size, err := proportionalSize(family(root))
		peak, failure = max(peak, size), errors.Join(failure, err)
	}
	done := make(chan struct{})
	var sampler sync.WaitGroup
	sampler.Go(func() {
		for {
			sample()
			select {
			case <-done:
				sample()
				return
			case <-time.After(sampleEvery):
			}
		}
	})
	err = work()
	close(done)
	sampler.Wait()
	return peak, errors.Join(err, failure)
}
