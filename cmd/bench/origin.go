package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"platen.dev/browserpool/chromium"
)

// origin says where figures come from. Unknown values are "".
type origin struct {
	Date    time.Time `json:"date"`
	Version string    `json:"version"` // of the binary
	Commit  string    `json:"commit"`  // of the working directory, with "-dirty" if it has changed since
	Go      string    `json:"go"`
	Kernel  string    `json:"kernel"`
	CPU     string    `json:"cpu"`
	Browser string    `json:"browser"`
}

func originOf(platen string) origin {
	o := origin{
		Date: time.Now().UTC().Truncate(time.Second), Version: said(platen, "version"), Commit: said("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"),
		Go: runtime.Version(), Kernel: kernel(), CPU: machine(),
	}
	if browser, err := chromium.Find(""); err == nil {
		o.Browser = said(browser, "--version")
	}
	return o
}

// said returns the output of a program.
func said(name string, args ...string) string {
	out, _ := exec.Command(name, args...).Output() // if it fails, the answer is unknown
	return strings.TrimSpace(string(out))
}

func kernel() string {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return strings.TrimSpace(string(release))
}

// machine names the processors.
func machine() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // without it, only the count is reported
	_, rest, _ := strings.Cut(string(info), "model name")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(fmt.Sprintf("%d × %s", runtime.NumCPU(), strings.TrimLeft(line, "\t: ")))
}
