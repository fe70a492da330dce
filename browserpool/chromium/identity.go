package chromium

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// acceptLanguage is sent with every request: some sites refuse requests without one.
const acceptLanguage = "en-US,en"

// ordinaryAgent is the user agent of Chromium on Linux with a major version, for any processor; since 101 it contains
// nothing beyond the major version.
const ordinaryAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 Safari/537.36"

var majorVersion = regexp.MustCompile(`(\d+)\.\d+\.\d+\.\d+`)

// versionTime is how long a binary may take to report its version.
const versionTime = 5 * time.Second

// agents caches the ordinary user agent of each binary.
var agents sync.Map

// agentOf returns the user agent of a windowed browser of the binary's version, since sites refuse one that calls
// itself headless. It is empty if the binary does not report its version within a limit.
func agentOf(path string, limit time.Duration) string {
	if agent, known := agents.Load(path); known {
		return agent.(string)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ask := exec.CommandContext(ctx, path, "--version")
	ask.WaitDelay = limit // for processes that it has started
	said, _ := ask.Output()
	version := majorVersion.FindSubmatch(said)
	if version == nil {
		return ""
	}
	agent := fmt.Sprintf(ordinaryAgent, version[1])
	agents.Store(path, agent)
	return agent
}

// Identity makes a page identify itself as the browser's command line does: client hints would still say headless. A
// user agent set by the operator has no client hints.
func (b *Browser) Identity() proto.EmulationSetUserAgentOverride {
	override := proto.EmulationSetUserAgentOverride{UserAgent: b.userAgent}
	version := majorVersion.FindStringSubmatch(b.Version)
	if version == nil || !strings.HasPrefix(b.userAgent, fmt.Sprintf(ordinaryAgent, version[1])) {
		return override
	}
	override.UserAgentMetadata = &proto.EmulationUserAgentMetadata{
		Brands:   []*proto.EmulationUserAgentBrandVersion{{Brand: "Not:A-Brand", Version: "8"}, {Brand: "Chromium", Version: version[1]}},
		Platform: "Linux", Architecture: "x86", Bitness: "64",
	}
	return override
}
