package chromium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
	"platen.dev/events/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, o Options) *Browser {
	t.Helper()
	browser, err := Start(t.Context(), o)
	if err != nil {
		t.Fatalf("these tests need the real browser: %v", err)
	}
	t.Cleanup(func() { browser.Close(context.Background()) })
	return browser
}

// A browser answers, and leaves nothing behind when it is closed.
func TestStartAndClose(t *testing.T) {
	temp := testkit.TempDir(t)
	browser := start(t, Options{TempDir: temp})
	if !strings.Contains(browser.Version, "Chrome/") {
		t.Errorf("version %q", browser.Version)
	}
	if memory := browser.Memory(); memory < 10<<20 || memory > 10<<30 {
		t.Errorf("memory %d", memory)
	}
	browser.Close(context.Background())
	testkit.Receive(t, browser.Gone(), "the pipe's end")
	testkit.Receive(t, browser.Exited(), "the exit")
	if left, _ := filepath.Glob(temp + "/*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := browser.Call(t.Context(), "", "Browser.getVersion", nil); !errors.Is(err, ErrGone) {
		t.Errorf("a closed browser answers %v", err)
	}
	if memory := browser.Memory(); memory != 0 {
		t.Errorf("a closed browser takes %d bytes", memory)
	}
	browser.Kill() // harmless now
}

// Waiting calls fail as soon as the browser is killed, and its helper processes end too.
func TestKilled(t *testing.T) {
	browser := start(t, Options{})
	page := attach(t, browser)
	failed := make(chan error, 1)
	go func() {
		_, err := proto.RuntimeEvaluate{Expression: "new Promise(() => {})", AwaitPromise: true}.Call(page.With(context.Background()))
		failed <- err
	}()
	if err := syscall.Kill(browser.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, browser.Exited(), "the exit")
	if err := <-failed; !errors.Is(err, ErrGone) {
		t.Errorf("the waiting call gets %v", err)
	}
	if err := syscall.Kill(-browser.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process group still exists: %v", err)
	}
}

// attach opens a page and a session to it.
func attach(t *testing.T, browser *Browser) *Session {
	t.Helper()
	target, err := proto.TargetCreateTarget{URL: "about:blank"}.Call(browser.With(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	session, err := browser.Attach(t.Context(), target.TargetID, func(cdp.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// A crash ends the session of the page and of no other.
func TestSessionEnds(t *testing.T) {
	browser := start(t, Options{})
	crashing, spared, detached := attach(t, browser), attach(t, browser), attach(t, browser)
	if err := (proto.PageCrash{}).Call(crashing.With(t.Context())); !errors.Is(err, ErrCrashed) {
		t.Errorf("crashing gives %v", err)
	}
	testkit.Receive(t, crashing.Ended(), "the end of the crashed session")
	detached.Detach()
	if _, err := detached.Send(t.Context(), "Runtime.evaluate", proto.RuntimeEvaluate{Expression: "1"}); !errors.Is(err, ErrDetached) {
		t.Errorf("a detached session gives %v", err)
	}
	if err := (proto.PageEnable{}).Call(spared.With(t.Context())); err != nil {
		t.Errorf("the other page: %v", err)
	}
	var refusal *cdp.Error
	if _, err := spared.Send(t.Context(), "Page.nonsense", nil); !errors.As(err, &refusal) {
		t.Errorf("an unknown method gives %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cause")
	cancel(cause)
	if _, err := spared.Send(ctx, "Page.enable", nil); !errors.Is(err, cause) {
		t.Errorf("a cancelled call gives %v", err)
	}
}

// Without a proxy no address can be reached.
func TestNoProxyNoNetwork(t *testing.T) {
	page := attach(t, start(t, Options{}))
	answer, err := proto.PageNavigate{URL: "http://127.0.0.1:8080/"}.Call(page.With(t.Context()))
	if err != nil || answer.ErrorText != "net::ERR_PROXY_CONNECTION_FAILED" {
		t.Errorf("navigation: %v, %v", answer, err)
	}
}

func TestBinaryMissing(t *testing.T) {
	if _, err := Find("/nonexistent/browser"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(ErrNotInstalled.Error(), "deploy/install-deps.sh") {
		t.Error("the error does not say what to do")
	}
}

// A binary that is not a browser is an error that quotes its output.
func TestNotABrowser(t *testing.T) {
	temp := testkit.TempDir(t)
	script := filepath.Join(testkit.TempDir(t), "fake")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho no browser here >&2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Path: script, TempDir: temp})
	if !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "no browser here") {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(temp + "/*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// The error of a browser that exits silently, as for want of memory, says how it ended; that of one that hangs, that it was killed.
func TestSilentEnd(t *testing.T) {
	script := filepath.Join(testkit.TempDir(t), "fake")
	start := func(text string) error {
		if err := os.WriteFile(script, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := Start(ctx, Options{Path: script, TempDir: testkit.TempDir(t), UserAgent: "x"})
		return err
	}
	if err := start("exit 7\n"); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "exited silently (exit status 7)") {
		t.Errorf("got %v", err)
	}
	if err := start("exec sleep 60\n"); err == nil || errors.Is(err, ErrGone) || !strings.HasSuffix(err.Error(), ": it did not answer, and was killed") {
		t.Errorf("got %v", err)
	}
}

// Profiles of dead owners are swept, those of living ones are not.
func TestSweepProfiles(t *testing.T) {
	parent := testkit.TempDir(t)
	dead := filepath.Join(parent, profilePrefix+"dead")
	young := filepath.Join(parent, profilePrefix+"young")
	for _, dir := range []string{dead, young, filepath.Join(parent, "other")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dead, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	alive, err := makeProfile(parent, nil)
	if err != nil {
		t.Fatal(err)
	}
	sweepProfiles(parent)
	for dir, want := range map[string]bool{dead: false, young: true, alive: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v", dir, err)
		}
	}
	removeProfile(alive)
	if _, err := os.Stat(alive); err == nil {
		t.Error("the profile is not removed")
	}
}

// The rest of a profile that could not be fully removed is swept later, whenever something was written there.
func TestRemovalThatFails(t *testing.T) {
	for _, written := range []string{"zygote", ""} { // the directory itself is removed last
		parent := testkit.TempDir(t)
		dir, err := makeProfile(parent, nil)
		if err != nil {
			t.Fatal(err)
		}
		if lock, held := profileLocks.LoadAndDelete(dir); !held || lock.(*os.File).Close() != nil { // as if its process had been killed
			t.Fatal("the profile is not locked")
		}
		for _, name := range []string{"Default", "zygote"} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		removeLocked(dir, func(path string) error {
			if path == dir && written == "" {
				_ = os.Remove(filepath.Join(dir, lockName))
			}
			if path == dir && written == "" || filepath.Base(path) == written {
				return syscall.ENOTEMPTY
			}
			return os.RemoveAll(path)
		})
		want := []string{filepath.Join(dir, lockName), filepath.Join(dir, "zygote")}
		if written == "" {
			want = want[:1]
		}
		if left, _ := filepath.Glob(dir + "/*"); !slices.Equal(left, want) {
			t.Errorf("left: %v, want %v", left, want)
		}
		if sweepProfiles(parent); len(profilesIn(parent)) > 0 {
			t.Error("what was left is not swept")
		}
	}
}

// If a profile is replaced by a link, nothing beyond the link is removed.
func TestRemovalOfALink(t *testing.T) {
	parent, elsewhere := testkit.TempDir(t), t.TempDir()
	for _, name := range []string{lockName, "precious"} {
		if err := os.WriteFile(filepath.Join(elsewhere, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(parent, profilePrefix+"link")); err != nil {
		t.Fatal(err)
	}
	sweepProfiles(parent)
	if left, _ := filepath.Glob(elsewhere + "/*"); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}

// A profile is not swept while it is being made.
func TestSweepWhileOthersStart(t *testing.T) {
	parent := testkit.TempDir(t)
	done := make(chan struct{})
	var sweeper sync.WaitGroup
	sweeper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				sweepProfiles(parent)
			}
		}
	})
	defer sweeper.Wait()
	defer close(done)
	for range 500 {
		dir, err := makeProfile(parent, nil)
		if err == nil {
			_, err = os.Stat(filepath.Join(dir, "lock"))
		}
		if err != nil {
			t.Fatal(err)
		}
		removeProfile(dir)
	}
}

func TestPipe(t *testing.T) {
	pipe, in, out, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	large := bytes.Repeat([]byte("x"), 3<<20)
	go func() {
		_, _ = out.Write([]byte("one\x00\x00" + string(large) + "\x00half"))
		_ = out.Close()
	}()
	for _, want := range [][]byte{[]byte("one"), {}, large} {
		got, err := pipe.Read()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("read %d bytes, %v, want %d", len(got), err, len(want))
		}
	}
	if _, err := pipe.Read(); err == nil {
		t.Error("half a message is read")
	}
	pipe.close()
	if err := pipe.Send([]byte("x")); err == nil {
		t.Error("a closed pipe sends")
	}
}

func TestAnswerID(t *testing.T) {
	for frame, want := range map[string]int{`{"id":17,"result":{}}`: 17, `{"id":0,"x":1}`: 0, `{"method":"Page.x"}`: -1, `{"id":x}`: -1, `{"id":`: -1, ``: -1} {
		id, ok := answerID([]byte(frame))
		if !ok {
			id = -1
		}
		if id != want {
			t.Errorf("%s: %d, want %d", frame, id, want)
		}
	}
}

func TestStringField(t *testing.T) {
	if got, ok := stringField([]byte(`{"id":1,"result":{"data":"QUJD","eof":true}}`), "data"); !ok || string(got) != "QUJD" {
		t.Errorf("got %q", got)
	}
	for _, frame := range []string{`{}`, `{"data":"unended`, `{"data":17}`} {
		if got, ok := stringField([]byte(frame), "data"); ok {
			t.Errorf("%s: %q", frame, got)
		}
	}
}

func TestDecodeData(t *testing.T) {
	for _, c := range []struct {
		frame string
		limit int64
		want  string
		err   error
	}{
		{`{"id":1,"result":{"data":"YWJj"}}`, 3, "abc", nil},
		{`{"id":1,"result":{"data":"YWI="}}`, 2, "ab", nil},
		{`{"id":1,"result":{"data":""}}`, 0, "", nil},
		{`{"id":1,"result":{"data":"YWJj"}}`, 2, "", ErrOversized},
		{`{"id":1,"error":{"code":-32000,"message":"no"}}`, 9, "", &cdp.Error{Code: -32000, Message: "no"}},
	} {
		got, err := decodeData("method", []byte(c.frame), c.limit)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s within %d: got %q, %v, want %q, %v", c.frame, c.limit, got, err, c.want, c.err)
		}
	}
	for _, frame := range []string{`{"id":1,"result":{}}`, `{"id":1,"result":{"data":"!"}}`} {
		if got, err := decodeData("method", []byte(frame), 9); err == nil {
			t.Errorf("%s: got %q and no error", frame, got)
		}
	}
}

func TestEndOfStream(t *testing.T) {
	data := `"data":"` + strings.Repeat("A", 1000) + `"`
	for frame, want := range map[string]bool{
		`{"id":1,"result":{` + data + `,"eof":true},"sessionId":"x"}`:  true,
		`{"id":1,"result":{"eof":true,` + data + `}}`:                  true,
		`{"id":1,"result":{` + data + `,"eof":false},"sessionId":"x"}`: false,
		`{}`: false,
	} {
		if got := endOfStream([]byte(frame)); got != want {
			t.Errorf("%.40s…: %v", frame, got)
		}
	}
}

func TestLastOutput(t *testing.T) {
	var kept lastOutput
	for i := range 10_000 {
		fmt.Fprintf(&kept, "line %d\n", i)
	}
	if got := kept.String(); len(got) != lastOutputSize || !strings.HasSuffix(got, "line 9999\n") {
		t.Errorf("%d bytes kept", len(got))
	}
}

// The browser's environment contains only the variables that it needs.
func TestEnvironment(t *testing.T) {
	t.Setenv("PLATEN_SECRET", "hush")
	if all := strings.Join(environment("/profile"), "\n"); strings.Contains(all, "hush") || !strings.Contains(all, "HOME=/profile") {
		t.Errorf("environment %s", all)
	}
}

// The processes of a browser that runs apart yield; those of a shared one only if told to.
func TestGiveWay(t *testing.T) {
	apart, shared := start(t, Options{Apart: true, Niceness: 7}), start(t, Options{Niceness: 3})
	usual := turn(os.Getpid())
	if usual == 0 {
		t.Skip("Linux before 6.12 has no turns of several lengths")
	}
	attach(t, apart)
	attach(t, shared)
	for pid := range apart.renderers() {
		if got := turn(pid); got != apartTurns*usual {
			t.Errorf("a renderer apart has turns of %v", got)
		}
	}
	for pid := range shared.renderers() {
		if got := turn(pid); got != usual {
			t.Errorf("a shared renderer has turns of %v", got)
		}
		Yield(pid)
		if got := turn(pid); got != lowestTurns*usual {
			t.Errorf("one that yields has turns of %v", got)
		}
	}
	for _, c := range []struct {
		browser *Browser
		want    int
	}{{apart, 7}, {shared, 3}} {
		attr, err := unix.SchedGetAttr(c.browser.PID(), 0)
		if err != nil || int(attr.Nice) != c.want || attr.Policy != unix.SCHED_NORMAL {
			t.Errorf("%+v, %v, expected niceness %d", attr, err, c.want)
		}
	}
}
