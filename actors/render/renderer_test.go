package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a renderer with one page, whose Print is the test's.
type fixture struct {
	t        *testing.T
	log      *embedded.Log
	system   *actor.ActorSystem
	renderer *Renderer
	commands eventlog.Reader
	pages    chan struct{}
	print    func(page.Print) (page.Result, error)
	put      error

	mu    sync.Mutex
	files map[string]string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureWith(t, func(*Config) {})
}

func newFixtureWith(t *testing.T, change func(*Config)) *fixture {
	t.Helper()
	s := &fixture{
		t: t, pages: make(chan struct{}, 1), files: map[string]string{},
		print: func(p page.Print) (page.Result, error) {
			return page.Result{PDF: []byte("PDF of " + p.HTML), Load: 3 * time.Millisecond, Print: 4 * time.Millisecond}, nil
		},
	}
	var err error
	if s.log, err = embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()}); err != nil {
		t.Fatal(err)
	}
	system := testkit.System(t)
	cfg := Config{
		Node: "n1", Log: s.log, Acquire: s.acquire, Files: s, Attempts: 2, Logger: testkit.Silent(), Now: time.Now,
		Unseal: func(_ events.JobID, sealed events.Sealed) (string, error) { return string(sealed), nil },
		Pages:  func(pdf []byte) (int, error) { return strings.Count(string(pdf), "page"), nil },
		Probe:  func(context.Context) error { return nil },
	}
	change(&cfg)
	s.system = system
	s.renderer, err = Start(system, cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.pages <- struct{}{}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.renderer.Close(ctx)
		if err := s.log.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *fixture) acquire(ctx context.Context, _ events.AccountID, _ events.Lane) (Lease, error) {
	select {
	case <-s.pages:
		return lease{s}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type lease struct{ *fixture }

func (l lease) Print(_ context.Context, p page.Print) (page.Result, error) {
	return l.print(p)
}

func (l lease) Capture(_ context.Context, c page.Capture) (page.Image, error) {
	return page.Image{Data: []byte(c.Options.Format + " of " + c.HTML)}, nil
}

func (l lease) Return() { l.pages <- struct{}{} }

func (s *fixture) Put(_ context.Context, name string, r io.Reader, _ int64) (int64, error) {
	b, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[name] = string(b)
	return int64(len(b)), errors.Join(err, s.put)
}

func (s *fixture) Open(_ context.Context, name string) (*store.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, found := s.files[name]
	if !found {
		return nil, store.ErrNotExist
	}
	return &store.File{ReadCloser: io.NopCloser(strings.NewReader(content)), Size: int64(len(content))}, s.put
}

// submit appends a job's submission and begins its Render.
func (s *fixture) submit(html string) events.JobID {
	s.t.Helper()
	id := events.NewJobID()
	offset := s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id}, Content: events.Content{HTML: html}})
	s.renderer.Perform(0, job.Render{Account: "acc", Job: id, Content: offset, Queued: 5})
	return id
}

func (s *fixture) append(body events.CommandBody) int64 {
	s.t.Helper()
	return s.appendFor("acc", body)
}

func (s *fixture) appendFor(account events.AccountID, body events.CommandBody) int64 {
	s.t.Helper()
	value, err := events.EncodeCommand(events.Command{ID: events.NewCommandID(), Account: account, Body: body})
	if err != nil {
		s.t.Fatal(err)
	}
	offset, err := eventlog.AppendWait(s.t.Context(), s.log, events.TopicCommands, 0, eventlog.Record{Value: value})
	if err != nil {
		s.t.Fatal(err)
	}
	return offset
}

// told returns the next n commands that are not submissions.
func (s *fixture) told(n int) (bodies []events.CommandBody) {
	s.t.Helper()
	if s.commands == nil {
		s.commands = s.log.Read(events.TopicCommands, 0, 0)
		s.t.Cleanup(s.commands.Close)
	}
	ctx := testkit.Context(s.t)
	for len(bodies) < n {
		records, err := s.commands.Next(ctx)
		if err != nil {
			s.t.Fatalf("%d of %d commands: %v", len(bodies), n, err)
		}
		for _, r := range records {
			c, err := events.DecodeCommand(r.Value)
			if err != nil {
				s.t.Fatal(err)
			}
			if _, own := c.Body.(events.SubmitJob); !own {
				bodies = append(bodies, c.Body)
			}
		}
	}
	return bodies
}

// An attempt reports its start, stores the file, and then reports its end.
func TestAnAttempt(t *testing.T) {
	s := newFixture(t)
	id := s.submit("page page")
	told := s.told(2)
	start, ok := told[0].(events.StartRender)
	if !ok || start.Job != id || start.Node != "n1" || start.Attempt == 0 {
		t.Fatalf("first told %+v", told[0])
	}
	finish, ok := told[1].(events.FinishRender)
	if !ok || finish.Attempt != start.Attempt || finish.File.Pages != 2 || finish.Metrics.PageLoad != 3 {
		t.Fatalf("then told %+v", told[1])
	}
	if content := s.files[finish.File.Name]; content != "PDF of page page" || int64(len(content)) != finish.File.Size {
		t.Errorf("file %q of size %d", content, finish.File.Size)
	}
}

// A step's error becomes the job's error. It is retryable only if the document is not to blame.
func TestFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		print     func(page.Print) (page.Result, error)
		put       error
		code      events.ErrorCode
		retryable bool
	}{
		"timeout":                  {fails(page.ErrTimeout), nil, events.PageTimeout, false},
		"too large":                {fails(page.ErrTooLarge), nil, events.FileTooLarge, false},
		"crash":                    {fails(page.ErrCrashed), nil, events.BrowserCrashed, true},
		"gone":                     {fails(page.ErrBrowserGone), nil, events.BrowserCrashed, true},
		"render":                   {fails(page.ErrRender), nil, events.RenderFailed, false},
		"panic":                    {func(page.Print) (page.Result, error) { panic("bug") }, nil, events.RenderFailed, false},
		"store":                    {nil, errors.New("no connection"), events.RenderFailed, true},
		"full disk of the browser": {fails(page.ErrOutput), nil, events.RenderFailed, true},
		"full disk":                {fails(&fs.PathError{Op: "write", Path: "/tmp/x", Err: unix.ENOSPC}), nil, events.RenderFailed, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			if tc.print != nil {
				s.print = tc.print
			}
			s.put = tc.put
			s.submit("x")
			fail, ok := s.told(2)[1].(events.FailRender)
			infrastructure := name == "store" || strings.HasPrefix(name, "full disk")
			if !ok || fail.Code != tc.code || fail.Retryable != tc.retryable || fail.Infrastructure != infrastructure {
				t.Errorf("told %+v, want %s retryable %t, infrastructure %t", fail, tc.code, tc.retryable, infrastructure)
			}
			<-s.pages // the page came back
			s.pages <- struct{}{}
		})
	}
}

func fails(err error) func(page.Print) (page.Result, error) {
	return func(page.Print) (page.Result, error) {
		return page.Result{}, fmt.Errorf("print: %w", err)
	}
}

// A job that is asked for again while it waits is rendered once; while it is under way,
// once more afterwards.
func TestAskedTwice(t *testing.T) {
	s := newFixture(t)
	<-s.pages // takes the only page, so that no attempt gets one
	id := s.submit("x")
	again := job.Render{Account: "acc", Job: id}
	s.renderer.Perform(0, again)
	s.pages <- struct{}{}
	var attempts []events.AttemptID
	for _, body := range s.told(4) {
		if start, ok := body.(events.StartRender); ok && start.Job == id {
			attempts = append(attempts, start.Attempt)
		}
	}
	if len(attempts) != 2 || attempts[0] == attempts[1] {
		t.Errorf("attempts %v, want two", attempts)
	}
}

// A job whose content was trimmed fails with a code of its own.
func TestLostContent(t *testing.T) {
	s := newFixture(t)
	id := events.NewJobID()
	offset := s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id}, Content: events.Content{HTML: "x"}})
	if err := s.log.Trim(t.Context(), events.TopicCommands, 0, offset+1); err != nil {
		t.Fatal(err)
	}
	s.commands = s.log.Read(events.TopicCommands, 0, offset+1)
	t.Cleanup(s.commands.Close)
	s.renderer.Perform(0, job.Render{Account: "acc", Job: id, Content: offset})
	if fail, ok := s.told(2)[1].(events.FailRender); !ok || fail.Retryable || fail.Code != events.ContentLost {
		t.Errorf("told %+v", fail)
	}
}

// Stored content is rendered like any other. Lost or damaged content fails the job; a store that does not answer is an infrastructure fault.
func TestStoredContent(t *testing.T) {
	c := events.Content{HTML: "stored", Full: true, Assets: []contract.Asset{{Name: "a.css", Content: []byte("p{}")}}}
	rest, part, err := c.Detach("content")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		files map[string]string
		err   error
		want  events.CommandBody
	}{
		"whole":   {map[string]string{"content": string(part)}, nil, events.FinishRender{}},
		"gone":    {nil, nil, events.FailRender{Code: events.ContentLost}},
		"damaged": {map[string]string{"content": string(part[1:])}, nil, events.FailRender{Code: events.RenderFailed}},
		"corrupt": {map[string]string{"content": string(part)}, store.ErrCorrupt, events.FailRender{Code: events.RenderFailed}},
		"silent":  {map[string]string{"content": string(part)}, errors.New("no connection"), events.FailRender{Code: events.RenderFailed, Retryable: true, Infrastructure: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			if tc.files != nil {
				s.files = tc.files
			}
			s.put = tc.err
			var printed page.Print
			s.print = func(p page.Print) (page.Result, error) { printed = p; return page.Result{PDF: []byte("PDF")}, nil }
			id := events.NewJobID()
			s.renderer.Perform(0, job.Render{Account: "acc", Job: id, Content: s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id}, Content: rest})})
			switch outcome := s.told(2)[1].(type) {
			case events.FinishRender:
				if _, done := tc.want.(events.FinishRender); !done || printed.HTML != c.HTML || !printed.Full || !reflect.DeepEqual(printed.Assets, c.Assets) {
					t.Errorf("printed %+v", printed)
				}
			case events.FailRender:
				if got := (events.FailRender{Code: outcome.Code, Retryable: outcome.Retryable, Infrastructure: outcome.Infrastructure}); got != tc.want {
					t.Errorf("told %+v, want %+v", got, tc.want)
				}
			}
		})
	}
}

// Content of another job is never rendered.
func TestForeignContent(t *testing.T) {
	s := newFixture(t)
	offset := s.append(events.Submission{SubmitJob: events.SubmitJob{Job: events.NewJobID()}, Content: events.Content{HTML: "secret"}})
	s.renderer.Perform(0, job.Render{Account: "acc", Job: events.NewJobID(), Content: offset})
	if fail, ok := s.told(2)[1].(events.FailRender); !ok || fail.Retryable || fail.Code != events.ContentLost {
		t.Errorf("told %+v", fail)
	}
	if len(s.files) != 0 {
		t.Errorf("stored %v", s.files)
	}
}

// An attempt that ends after its start but without an outcome gives the job back, because its start may be decided later: after another attempt has
// taken the job, and after its actor fails.
func TestGivesBack(t *testing.T) {
	for name, message := range map[string]any{
		"taken by another": attempt.Fact{Event: events.RenderStarted{Attempt: 1}},
		"panic":            stepDone{step: 99},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			printing, end := make(chan struct{}), make(chan struct{})
			s.print = func(page.Print) (page.Result, error) {
				close(printing)
				<-end
				return page.Result{}, page.ErrTimeout
			}
			id := s.submit("x")
			start, ok := s.told(1)[0].(events.StartRender)
			<-printing
			pid, working := s.renderer.active.Load(id)
			if !ok || !working {
				t.Fatal("the job was not started")
			}
			s.system.Root.Send(pid.(*actor.PID), message)
			s.renderer.ForgetAll(0) // the job is begun only once
			close(end)
			if lose, ok := s.told(1)[0].(events.LoseRender); !ok || lose.Job != id || lose.Attempt != start.Attempt {
				t.Errorf("told %+v, want the loss of %+v", lose, start)
			}
		})
	}
}

// Withdrawn jobs are not begun. Close waits for those that were.
func TestDropAndClose(t *testing.T) {
	s := newFixture(t)
	<-s.pages
	printing, goOn := make(chan struct{}), make(chan struct{})
	s.print = func(page.Print) (page.Result, error) {
		close(printing)
		<-goOn
		return page.Result{PDF: []byte("PDF")}, nil
	}
	first := s.submit("first")
	s.pages <- struct{}{}
	<-printing
	s.submit("second") // waits for the page
	s.submit("third")  // waits for its turn
	s.figures("the third waits", func(f Figures) bool { return f.Load.Queued[0] == 1 })
	s.renderer.ForgetAll(0) // sent first: the end of the first attempt must not overtake it
	s.figures("the third is dropped", func(f Figures) bool { return f.Load.Queued[0] == 0 })
	closed := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		s.renderer.Close(ctx)
		close(closed)
	}()
	s.print = func(page.Print) (page.Result, error) {
		return page.Result{PDF: []byte("PDF")}, nil
	}
	close(goOn)
	<-closed
	cancel()
	started := map[events.JobID]bool{}
	for _, body := range s.told(4) {
		if start, ok := body.(events.StartRender); ok {
			started[start.Job] = true
		}
	}
	if !started[first] || len(started) != 2 {
		t.Errorf("started %v, want the first two", started)
	}
}

// Jobs of every kind end as they should.
func TestKinds(t *testing.T) {
	s := newFixture(t)
	for name, tc := range map[string]struct {
		submit events.Submission
		// want is the beginning of the stored file, or the error code.
		want, extension string
		code            events.ErrorCode
	}{
		"image":      {events.Submission{SubmitJob: events.SubmitJob{Operation: events.HTMLToImage}, Content: events.Content{HTML: "x", Image: &contract.Image{Format: "jpeg"}}}, "jpeg of x", ".jpg", ""},
		"test PDF":   {events.Submission{SubmitJob: events.SubmitJob{Operation: events.EInvoiceToPDF, Test: true}, Content: events.Content{Invoice: &events.Invoice{}}}, "%PDF-", ".pdf", ""},
		"test image": {events.Submission{SubmitJob: events.SubmitJob{Operation: events.URLToImage, Test: true}, Content: events.Content{Image: &contract.Image{Format: "jpeg"}}}, "\x89PNG", ".png", ""},
		"delivery":   {events.Submission{SubmitJob: events.SubmitJob{Operation: events.HTMLToPDF}, Content: events.Content{HTML: "x", Delivery: &events.Delivery{}}}, "PDF of x", ".pdf", ""},
		"e-invoice":  {events.Submission{SubmitJob: events.SubmitJob{Operation: events.EInvoiceToPDF}, Content: events.Content{Invoice: &events.Invoice{}}}, "", "", events.EInvoiceFailed},
		"broken PDF": {events.Submission{SubmitJob: events.SubmitJob{Operation: events.HTMLToPDF}, Content: events.Content{HTML: "x", Print: events.PrintOptions{Compression: &events.Compression{Level: 1}}}}, "", "", events.RenderFailed},
	} {
		tc.submit.Job = events.NewJobID()
		s.renderer.Perform(0, job.Render{Account: "acc", Job: tc.submit.Job, Content: s.append(tc.submit)})
		switch outcome := s.told(2)[1].(type) {
		case events.FinishRender:
			s.mu.Lock()
			got := s.files[outcome.File.Name]
			s.mu.Unlock()
			if tc.want == "" || !strings.HasPrefix(got, tc.want) || filepath.Ext(outcome.File.Name) != tc.extension || outcome.File.Size != int64(len(got)) {
				t.Errorf("%s: got %+v holding %.20q", name, outcome.File, got)
			}
		case events.FailRender:
			if outcome.Code != tc.code || outcome.Retryable {
				t.Errorf("%s: got %+v, want %q", name, outcome, tc.code)
			}
		}
	}
}

// A file may be exactly as large as the account's plan allows.
func TestFileLimit(t *testing.T) {
	s := newFixture(t)
	limits := make(chan int64, 1)
	s.print = func(p page.Print) (page.Result, error) {
		limits <- p.MaxBytes
		return page.Result{}, page.ErrTooLarge
	}
	for given, want := range map[int64]int64{0: contract.MaxFileBytes, 300 << 20: 300 << 20} {
		id := events.NewJobID()
		offset := s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id, Operation: events.HTMLToPDF}, Content: events.Content{HTML: "x"}})
		s.renderer.Perform(0, job.Render{Account: "acc", Job: id, Content: offset, MaxFile: given})
		if got := <-limits; got != want {
			t.Errorf("limit %d: the page was given %d, want %d", given, got, want)
		}
		if f, ok := s.told(2)[1].(events.FailRender); !ok || f.Code != events.FileTooLarge {
			t.Errorf("limit %d: got %+v", given, f)
		}
	}
}

// lines takes what a logger writes, as far as there is room.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	select {
	case l <- string(b):
	default:
	}
	return len(b), nil
}

// The log says once that rendering is suspended, however often it is probed, and why, before it says that it is resumed; also if only attempts meet the fault.
func TestSuspensionIsLoggedInPairs(t *testing.T) {
	for name, tc := range map[string]struct {
		fails int // how many probes
		why   string
	}{
		"found by the probe": {3, `error="files: gone"`},
		"met by attempts":    {0, `error="print: no space left`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				said, probes := make(lines, 100), 0
				s := newFixtureWith(t, func(c *Config) {
					c.Logger = slog.New(slog.NewTextHandler(said, nil))
					c.Probe = func(context.Context) error {
						if probes++; probes <= tc.fails {
							return errors.New("files: gone")
						}
						return nil
					}
				})
				s.print = func(page.Print) (page.Result, error) {
					return page.Result{}, fmt.Errorf("print: %w", unix.ENOSPC)
				}
				for range 3 {
					s.submit("x")
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				var told []string
				for len(said) > 0 {
					if line := <-said; strings.Contains(line, "rendering is") {
						told = append(told, line)
					}
				}
				if len(told) != 2 || !strings.Contains(told[0], "rendering is suspended") || !strings.Contains(told[0], tc.why) || !strings.Contains(told[1], "rendering is resumed") {
					t.Errorf("after %d probes the log says %q", probes, told)
				}
				s.submit("x")
				time.Sleep(time.Second)
				if err := s.renderer.Fault(); err == nil || !strings.HasPrefix(err.Error(), "print: no space left") {
					t.Errorf("a fault that only attempts meet again: %v", err)
				}
			})
		})
	}
}

// The reason of a suspension is that of its own attempts and probes, from its beginning on.
func TestFaultOfEachSuspension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var met, found atomic.Pointer[error]
		set := func(at *atomic.Pointer[error], err error) { at.Store(&err) }
		set(&met, nil)
		set(&found, nil)
		probing := make(chan struct{}, 100)
		s := newFixtureWith(t, func(c *Config) {
			c.Probe = func(ctx context.Context) error {
				select {
				case <-probing:
					return *found.Load()
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		})
		s.print = func(page.Print) (page.Result, error) { return page.Result{PDF: []byte("PDF")}, *met.Load() }
		check := func(when, want string) {
			t.Helper()
			synctest.Wait()
			if got := fmt.Sprint(s.renderer.Fault()); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
		}
		for _, name := range []string{"first", "second"} {
			set(&met, fmt.Errorf("%s: %w", name, unix.ENOSPC))
			for range 3 {
				s.submit("x")
			}
			time.Sleep(time.Second)
			check("while it is probed", name+": ")
			set(&found, errors.New("probe of the "+name))
			probing <- struct{}{}
			check("after a probe", "probe of the "+name)
			set(&met, nil)
			set(&found, nil)
			probing <- struct{}{}
			time.Sleep(10 * time.Second)
			check("when it is resumed", "<nil>")
			s.submit("x")
			time.Sleep(time.Minute)
			check("after a sound attempt", "<nil>")
		}
	})
}
