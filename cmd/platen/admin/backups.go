package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"platen.dev/cmd/platen/backup"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/store"
)

// This file takes, lists and verifies backups, on the server and the client side.

// Backups takes and reads backups at a place: a directory, or s3://bucket/prefix.
type Backups interface {
	// Take takes a backup. If reread is set, it rereads all chunks of earlier backups, and rewrites damaged ones.
	Take(ctx context.Context, place string, keep int, reread bool) (backup.Report, error)
	List(ctx context.Context, place string) ([]backup.Listed, error)
	// Verify verifies the backup with a name, or the newest if name is empty.
	Verify(ctx context.Context, place, name string) (backup.Listed, error)
	// Losses reads everything that the backups at a place name, and returns the damage.
	Losses(ctx context.Context, place string) ([]backup.Loss, error)
}

// backupRequest names a place, and options for the work there.
type backupRequest struct {
	Place string `json:"place"`
	Keep  int    `json:"keep,omitempty"`
	Name  string `json:"name,omitempty"`
	// Repair first takes a backup that rereads all chunks, then verifies the newest.
	Repair bool `json:"repair,omitempty"`
}

// taken is the outcome of a backup.
type taken struct {
	backup.Listed
	Sent    backup.Sent   `json:"sent"`
	Worked  int64         `json:"worked"`
	Took    time.Duration `json:"took_ns"`
	Dropped []backup.Ref  `json:"dropped,omitempty"`
	Ahead   []backup.Ref  `json:"ahead,omitempty"`
}

// verified describes a verified backup. After a repair, its Error says why the newest is useless, and Losses what is still damaged at the place.
type verified struct {
	backup.Listed
	Losses []backup.Loss `json:"losses,omitempty"`
}

// backups reads a request about backups and responds with the result of do. Long work ends when the node does.
func backups[T any](s *Server, do func(ctx context.Context, asked backupRequest) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked backupRequest
		if !decode(w, r, &asked) {
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.closing, cancel)()
		answer, err := do(ctx, asked)
		if err != nil {
			refuse(w, 409, err.Error())
			return
		}
		respond(w, 200, answer)
	}
}

func (s *Server) takeBackup(ctx context.Context, asked backupRequest) (taken, error) {
	r, err := s.Backups.Take(ctx, asked.Place, asked.Keep, false)
	return taken{backup.Describe(r.Ref, r.Manifest, nil), r.Sent, r.Worked, r.Took, r.Dropped, r.Ahead}, err
}

func (s *Server) listBackups(ctx context.Context, asked backupRequest) ([]backup.Listed, error) {
	return s.Backups.List(ctx, asked.Place)
}

func (s *Server) verifyBackup(ctx context.Context, asked backupRequest) (v verified, err error) {
	if asked.Repair {
		return s.repairBackups(ctx, asked.Place)
	}
	v.Listed, err = s.Backups.Verify(ctx, asked.Place, asked.Name)
	return v, err
}

// repairBackups repairs what the cluster still has, and checks everything else.
func (s *Server) repairBackups(ctx context.Context, place string) (v verified, err error) {
	if _, err := s.Backups.Take(ctx, place, 0, true); err != nil {
		return v, err
	}
	if v.Losses, err = s.Backups.Losses(ctx, place); err != nil {
		return v, err
	}
	if v.Listed, err = s.Backups.Verify(ctx, place, ""); errors.Is(err, backup.ErrDamaged) {
		v.Error, err = err.Error(), nil
	}
	return v, err
}

// place returns the place that --to names, made absolute for a node that runs in another directory.
func (c call) place() (string, error) {
	if c.to == "" {
		return "", fmt.Errorf("--to must say where backups are kept: a directory, or s3://bucket/prefix")
	}
	if err := store.CheckPlace(c.to); err != nil {
		return "", fmt.Errorf("--to: %w", err)
	}
	if strings.HasPrefix(c.to, store.OnS3) {
		return c.to, nil
	}
	return filepath.Abs(c.to)
}

func runTakeBackup(c call) error {
	place, err := c.place()
	if err != nil {
		return err
	}
	if c.keep < 0 {
		return fmt.Errorf("--keep must not be negative")
	}
	var t taken
	if err := c.client.wait("/backups", backupRequest{Place: place, Keep: c.keep}, &t); err != nil {
		return err
	}
	if err := c.print(nil, func(w terminal.Lines) { printBackups(w, t.Listed) }); err != nil {
		return err
	}
	c.say("%d chunks of %.1f MB were new; %.1f MB were read or compared in %s, %.1f MB/s\n",
		t.Sent.Chunks, mb(t.Sent.Bytes), mb(t.Worked), t.Took.Round(time.Millisecond), mb(t.Worked)/max(t.Took.Seconds(), 0.001))
	for _, ref := range t.Dropped {
		c.say("dropped %s\n", ref)
	}
	if len(t.Ahead) > 0 {
		c.say("%d earlier backups have names in the future, such as %s: a clock was ahead. ", len(t.Ahead), t.Ahead[0])
		c.say("This is said until they are dropped or that time has passed; new ones are named after them meanwhile\n")
	}
	for _, secret := range t.Secrets {
		c.say("the secret %s is not in the backup: keep seal.key, or the cluster's secret, elsewhere\n", secret)
	}
	return nil
}

func runListBackups(c call) error {
	place, err := c.place()
	if err != nil {
		return err
	}
	var all []backup.Listed
	err = c.client.wait("/backups/list", backupRequest{Place: place}, &all)
	return c.print(err, func(w terminal.Lines) { printBackups(w, all...) })
}

func runVerifyBackup(c call) error {
	place, err := c.place()
	if err != nil {
		return err
	}
	asked := backupRequest{Place: place}
	if len(c.args) > 0 {
		asked.Name = c.args[0]
	}
	if asked.Repair = c.repair; c.repair && asked.Name != "" {
		return fmt.Errorf("--repair takes a new backup, so no NAME can be given: verify %s afterwards", asked.Name)
	}
	var v verified
	if err := c.client.wait("/backups/verify", asked, &v); err != nil {
		return err
	}
	if err := c.print(nil, func(w terminal.Lines) { printBackups(w, v.Listed) }); err != nil {
		return err
	}
	if v.Error == "" {
		c.say("all of it was read, and the rows of every partition were rebuilt: they are those of the cut\n")
	}
	return c.reportLosses(v)
}

// reportLosses lists irreparable damage, and returns an error if there is any.
func (c call) reportLosses(v verified) error {
	lost := map[backup.Ref]bool{}
	for _, l := range v.Losses {
		c.say("%s cannot be mended: %s\n", l.Name, l.Error)
		for _, ref := range l.Backups {
			c.say("  %s is lost by it\n", ref)
			lost[ref] = true
		}
	}
	switch {
	case v.Error != "":
		return fmt.Errorf("the new backup is damaged too: %s", v.Error)
	case len(v.Losses) > 0:
		return fmt.Errorf("%d files cannot be mended, and %d backups are lost by them; the newest is whole. Restore none of those: `platen admin backup --keep 1` drops all but a new one", len(v.Losses), len(lost))
	}
	return nil
}

func printBackups(w terminal.Lines, all ...backup.Listed) {
	w.Text("BACKUP\tTAKEN\tROWS\tMB\tFILES\tMB\tMISSING\tNODE\tVERSION\tERROR\n")
	for _, b := range all {
		w.Printf("%s\t%s\t%d\t%.1f\t%d\t%.1f\t%d\t%s\t%s\t%s\n", b.Ref, b.Taken.Format(time.RFC3339), b.Rows, mb(b.RowBytes),
			b.Files, mb(b.FileBytes), b.Missing, b.Node, b.Version, b.Error)
	}
}

func mb(bytes int64) float64 { return float64(bytes) / (1 << 20) }
