package main

import "runtime/debug"

// release is the version of a released build, set by the linker.
var release = "dev"

// version is the release, with the commit if the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return release + " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return release
}
