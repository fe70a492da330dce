package convert

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"platen.dev/browserpool/egress"
	"platen.dev/cmd/platen/textfile"
	"platen.dev/einvoice"
	"platen.dev/events/charset"
	"platen.dev/events/contract"
	"platen.dev/events/disk"
)

// convert converts one input, and reports the outcome.
func (s settings) convert(ctx context.Context, by client, c conversion) error {
	begun := time.Now()
	input, err := within(ctx, func() (string, error) { return s.read(c) })
	if err != nil {
		return err
	}
	if strings.TrimSpace(input) == "" {
		return errors.New("it is empty")
	}
	if c.source == "html" && s.options.text("html-mode") != "full" {
		if left := leftOut(input); left != "" {
			s.problem.Printf("%s: %s\n", c.input, left)
		}
	}
	if c.source == "html" {
		input = inSite(input+s.added, s.allow)
	}
	declared, err := s.declared(c, input)
	if err != nil {
		return err
	}
	body, err := s.options.body(c, input, declared)
	if err != nil {
		return err
	}
	file, job, err := by.convert(ctx, c.op.Path(), body)
	if err != nil && s.server == "" && strings.Contains(err.Error(), "SSRF_BLOCKED") {
		return fmt.Errorf("%w %s", err, unblocking(c, err))
	}
	if err != nil {
		return err
	}
	for _, w := range job.Warnings {
		s.problem.Printf("%s: %s\n", c.input, w.Detail)
	}
	if c.output == "-" {
		return s.print(ctx, file)
	}
	if err := write(ctx, c.output, file); err != nil {
		return err
	}
	return s.problem.Printf("%s → %s: %s%d KB in %.2f s\n", c.input, c.output, pagesOf(c, job), (len(file)+1023)/1024, time.Since(begun).Seconds())
}

// print writes a result to standard output.
func (s settings) print(ctx context.Context, file []byte) error {
	_, err := within(ctx, func() (int, error) { return s.stdout.Write(file) })
	return err
}

// unblocking says how a blocked page can be loaded. Requests are refused for the address, and ports only by the browser's proxy.
func unblocking(c conversion, err error) string {
	var refused *refusal
	if u, _ := contract.ParsePageURL(c.input); !errors.As(err, &refused) && u != nil && !(egress.Policy{}).PermitsPort(contract.PortOf(u)) {
		return fmt.Sprintf("Port %d is refused: pages load only from ports 80 and 443, and from 1024 up, except those of well-known services", contract.PortOf(u))
	}
	return "With --egress-allow CIDR, pages load from the addresses in CIDR, too"
}

// pagesOf returns the number of pages of a PDF, for people.
func pagesOf(c conversion, job made) string {
	switch {
	case job.Pages == nil || c.image != "":
		return ""
	case *job.Pages == 1:
		return "1 page, "
	}
	return fmt.Sprintf("%d pages, ", *job.Pages)
}

// read reads an input. An address is the input itself.
func (s settings) read(c conversion) (string, error) {
	if c.source == "url" {
		return c.input, nil
	}
	var from io.Reader = s.stdin
	if c.input != "-" {
		f, err := os.Open(c.input)
		if err != nil {
			return "", err
		}
		defer f.Close()
		from = f
	}
	b, err := readWithin(from, "it", contract.MaxBody)
	if err == nil && c.source == "xml" { // it is sent as it is: its declaration is checked with it
		_, err = textfile.Decode("it", b)
	}
	if err != nil || c.source == "xml" {
		return string(b), err
	}
	return string(charset.Decode(b, s.encoding)), nil
}

// readWithin reads a file of at most limit bytes. An error about a longer one begins with name.
func readWithin(from io.Reader, name string, limit int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > limit:
		return nil, fmt.Errorf("%s has more than %d bytes", name, limit)
	}
	return b, nil
}

// declared returns values that an input itself declares: format and profile of an e-invoice, the files that a full document refers to. In this
// process, large content needs no flag.
func (s settings) declared(c conversion, input string) (values map[string]string, err error) {
	values = map[string]string{}
	switch {
	case c.source == "xml":
		format, profile := einvoice.Declared([]byte(input))
		if format != "" {
			values["body.format"] = format
		}
		if profile != "" {
			values["body.profile"] = profile
		}
	case c.source == "html" && s.options.text("html-mode") == "full":
		values["body.assets"], err = assetsOf(input, s.reach(c))
	}
	if s.server == "" && c.source != "url" {
		values["body.large"] = "true"
	}
	return values, err
}

// reach returns which files a full document may have. Standard input has no folder.
func (s settings) reach(c conversion) reach {
	r := reach{own: c.input != "-" && !s.noFiles, allow: s.allow}
	if c.input != "-" {
		r.folder = filepath.Dir(c.input)
	}
	return r
}

// WriteFile writes a file atomically. A new one gets permissions. Devices and pipes are written to directly. A symbolic link is kept, and its target is
// written.
func WriteFile(name string, content []byte, permissions os.FileMode) error {
	return put(context.Background(), name, content, func(string) (os.FileMode, error) { return permissions, nil })
}

// write is WriteFile with the permissions of any new file. It makes the directory, and waits for the reader of a pipe until ctx ends.
func write(ctx context.Context, name string, content []byte) error {
	return put(ctx, name, content, func(dir string) (os.FileMode, error) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return 0, err
		}
		return newPermissions(dir)
	})
}

// put writes a file. prepare returns the permissions of a new one in a directory.
func put(ctx context.Context, name string, content []byte, prepare func(dir string) (os.FileMode, error)) error {
	name = linked(name)
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		_, err := within(ctx, func() (none struct{}, err error) { return none, writeTo(name, content) })
		return err
	case err == nil:
		return replace(name, content, info.Mode().Perm())
	}
	permissions, err := prepare(filepath.Dir(name))
	if err != nil {
		return err
	}
	return replace(name, content, permissions)
}

func replace(name string, content []byte, permissions os.FileMode) error {
	if err := disk.WriteFile(name, content); err != nil {
		return err
	}
	return os.Chmod(name, permissions)
}

// linked returns the file that a link leads to, or the name itself. One to a pipe, such as /dev/stdout, has no path to resolve to.
func linked(name string) string {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		return to
	}
	to, err := os.Readlink(name)
	switch {
	case err != nil:
		return name
	case !filepath.IsAbs(to):
		return filepath.Join(filepath.Dir(name), to)
	}
	return to
}

// writeTo writes to a device or a pipe.
func writeTo(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// newPermissions returns the permissions of a new file in a directory, which the process's mask decides.
func newPermissions(dir string) (os.FileMode, error) {
	f, err := os.OpenFile(filepath.Join(dir, ".platen-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}
