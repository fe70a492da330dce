package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// baseBinary returns the binary to compare with: base itself if it is a file, or a build of the commit of this name. remove removes what was built.
func baseBinary(ctx context.Context, base string) (binary string, remove func(), err error) {
	if info, err := os.Stat(base); err == nil && info.Mode().IsRegular() {
		path, err := filepath.Abs(base)
		return path, func() {}, err
	}
	dir, err := os.MkdirTemp("", "platen-base-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	binary = filepath.Join(dir, "platen")
	if err := buildCommit(ctx, base, filepath.Join(dir, "tree"), binary); err != nil {
		remove()
		return "", nil, err
	}
	return binary, remove, nil
}

// buildCommit builds platen at a commit, in a temporary work tree that is removed even after an interruption.
func buildCommit(ctx context.Context, commit, tree, binary string) (err error) {
	defer func() {
		_, statError := os.Stat(tree)
		if statError == nil {
			err = errors.Join(err, command(context.WithoutCancel(ctx), "", "git", "worktree", "remove", "--force", tree))
		}
	}()
	if err := command(ctx, "", "git", "worktree", "add", "--quiet", "--detach", tree, commit); err != nil {
		return err
	}
	return command(ctx, tree, cmp.Or(os.Getenv("GO"), "go"), "build", "-o", binary, "./cmd/platen")
}

// command runs a command in dir; an error contains its output.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
