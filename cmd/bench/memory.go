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
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if fields, ok := processFields(pid); ok {
			all[pid], _ = strconv.Atoi(fields[1])
		}
	}
	return all
}

// processFields returns the fields of /proc's stat after a process's name, from its state on; false if it has
// ended.
func processFields(pid int) (fields []string, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, false
	}
	// The name, in parentheses, may contain anything (proc_pid_stat(5)).
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])), true
}

// family returns a process and its descendants, whatever their sessions.
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

// proportionalSize returns the memory of processes in bytes, dividing shared memory among its users
// (PSS). Processes that end meanwhile count as nothing.
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

// peakWhile returns the peak memory that a process and its descendants have together (PSS, in
// bytes) while work runs, as far as samples show.
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
