// Package cli has what the commands of platen share: the error for wrong usage, flags
// that may stand between arguments, and how text files are read.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// ErrUsage means that the usage was wrong and has been shown already.
var ErrUsage = errors.New("usage")

// Parse parses flags that may stand before, between and after arguments, and returns the
// arguments. Its error is flag.ErrHelp when the flags were asked for, else ErrUsage; flags
// has written what there is to say.
func Parse(flags *flag.FlagSet, args []string) (plain []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			if !errors.Is(err, flag.ErrHelp) {
				err = ErrUsage
			}
			return nil, err
		}
		if flags.NArg() == 0 {
			return plain, nil
		}
		plain = append(plain, flags.Arg(0))
		args = flags.Args()[1:]
	}
}

// ParseOnly parses the flags of a command that takes no arguments; what there is to say about them goes to
// stderr. Its errors are those of Parse, and one that names the first argument.
func ParseOnly(flags *flag.FlagSet, args []string, stderr io.Writer) error {
	flags.SetOutput(stderr)
	plain, err := Parse(flags, args)
	if err == nil && len(plain) > 0 {
		err = fmt.Errorf("%s takes flags only, not %q", strings.TrimPrefix(flags.Name(), "platen "), plain[0])
	}
	return err
}
