package chromium

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is the resource usage of processes.
type Usage struct {
	// CPU is the processor time since they began, that of helpers that have ended included.
	CPU time.Duration
	// Bytes is the memory in use that is not backed by a file: memory that was touched, not just reserved. Shared memory counts for each process.
	Bytes int64
	// Threads is the thread count of the process with the most threads.
	Threads int
}

// Add counts another process.
func (u *Usage) Add(other Usage) {
	u.CPU += other.CPU
	u.Bytes += other.Bytes
	u.Threads = max(u.Threads, other.Threads)
}

// Group is the processes of a process group, by id.
type Group map[int]Usage

// Total returns the usage of all processes of the group together.
func (g Group) Total() (all Usage) {
	for _, u := range g {
		all.Add(u)
	}
	return all
}

// clockTick is the unit of times in /proc: USER_HZ is 100 on every platform that Go supports.
const clockTick = time.Second / 100

// ReadUsage reads what the processes of some groups have used, in one pass over /proc.
// Processes that end meanwhile are missing.
func ReadUsage(groups map[int]bool) map[int]Group {
	found := map[int]Group{}
	eachProcess(func(pid int) {
		stat := readStat(pid)
		if stat == nil || !groups[stat.group] {
			return
		}
		if found[stat.group] == nil {
			found[stat.group] = Group{}
		}
		found[stat.group][pid] = Usage{CPU: stat.cpu, Threads: stat.threads, Bytes: anonymous(pid)}
	})
	return found
}

func eachProcess(visit func(pid int)) {
	proc, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			visit(pid)
		}
	}
}

// eachProcess visits the browser's own processes.
func (p *Process) eachProcess(visit func(pid int)) {
	eachProcess(func(pid int) {
		if s := readStat(pid); s != nil && s.group == p.pid {
			visit(pid)
		}
	})
}

type processStat struct {
	group, threads int
	cpu            time.Duration
}

// Fields of /proc/PID/stat after the name, which is in parentheses and may contain anything
// (proc_pid_stat(5)).
const (
	fieldGroup   = 2
	fieldUser    = 11 // followed by the system time, and both times of reaped children
	fieldThreads = 17
)

// readStat returns nil for a process that is gone.
func readStat(pid int) *processStat {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= fieldThreads {
		return nil
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	s := &processStat{group: number(fieldGroup), threads: number(fieldThreads)}
	for i := range 4 {
		s.cpu += time.Duration(number(fieldUser+i)) * clockTick
	}
	return s
}

// anonymous returns the memory of a process that is not backed by a file, including shared memory.
func anonymous(pid int) (size int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if name, bytes := parseSize(line); name == "RssAnon" || name == "RssShmem" {
			size += bytes
		}
	}
	return size
}

// parseSize parses a line "Name: 123 kB" of /proc; other values are 0.
func parseSize(line string) (name string, bytes int64) {
	name, value, _ := strings.Cut(line, ":")
	kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
	return name, kib << 10
}

// renderers returns the processes of the browser that render pages.
func (p *Process) renderers() map[int]bool {
	found := map[int]bool{}
	p.eachProcess(func(pid int) {
		if isRenderer(pid) {
			found[pid] = true
		}
	})
	return found
}

func isRenderer(pid int) bool {
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return bytes.Contains(args, []byte("--type=renderer"))
}

// Renders reports whether a process is one of the browser that renders pages.
func (p *Process) Renders(pid int) bool {
	s := readStat(pid)
	return s != nil && s.group == p.pid && isRenderer(pid)
}

// NewRenderers runs open, which opens a page, and returns the processes that may render it: new ones or, if the browser
// used a process it had ready, those that render no page opened before. Pages are opened one at a time.
func (p *Process) NewRenderers(open func() error) (pids []int, err error) {
	p.opening.Lock()
	defer p.opening.Unlock()
	before := p.renderers()
	if err := open(); err != nil {
		return nil, err
	}
	after := p.renderers()
	maps.DeleteFunc(p.taken, func(pid int, _ bool) bool { return !after[pid] })
	var free []int
	for pid := range after {
		if !before[pid] {
			pids = append(pids, pid)
		} else if !p.taken[pid] {
			free = append(free, pid)
		}
	}
	if len(pids) == 0 {
		pids = free
	}
	for _, pid := range pids {
		p.taken[pid] = true
	}
	return pids, nil
}
