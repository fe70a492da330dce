package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"platen.dev/actors/service"
	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/terminal"
)

func drainCommand() *cobra.Command {
	data, wait, timeout := node.NewConfig().Data, false, 5*time.Minute
	c := &cobra.Command{
		Use: "drain", Short: "Hand a node's work over to the other nodes, and report it as not ready",
		Long: `Have a node of a cluster hand its partitions and jobs over to the other nodes, and report that it is not ready, until it
is undrained or ends.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client := admin.NewClient(data)
			d, err := client.Drain()
			if err == nil && wait {
				d, err = awaitEmpty(client, d, timeout)
			}
			if err != nil {
				return err
			}
			return terminal.To(c.OutOrStdout()).Text(progress(d) + "\n")
		},
	}
	dataFlag(c, &data)
	c.Flags().BoolVar(&wait, "wait", wait, "wait until the node is empty")
	c.Flags().DurationVar(&timeout, "timeout", timeout, "with --wait, give up after `TIME`; the node keeps draining")
	return c
}

func undrainCommand() *cobra.Command {
	data := node.NewConfig().Data
	c := &cobra.Command{
		Use: "undrain", Short: "Let a drained node take its share of the work again", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text, err := undrain(admin.NewClient(data))
			if err != nil {
				return err
			}
			return terminal.To(c.OutOrStdout()).Text(text + "\n")
		},
	}
	dataFlag(c, &data)
	return c
}

// undrain ends a drain and says what has changed.
func undrain(node admin.Client) (string, error) {
	before, err := node.Drainage()
	if err != nil {
		return "", err
	}
	if _, err := node.Undrain(); err != nil {
		return "", err
	}
	if !before.Draining {
		return "the node was not drained: nothing has changed", nil
	}
	return "the node takes its share again", nil
}

// dataFlag declares --data for a command that asks a running node.
func dataFlag(c *cobra.Command, data *string) {
	c.Flags().StringVar(data, "data", *data, "data `DIR` of the running node")
}

// drainPause is the pause between two checks of a draining node.
const drainPause = 250 * time.Millisecond

// awaitEmpty waits until a draining node is empty. The error says what is left.
func awaitEmpty(client admin.Client, d service.Drainage, limit time.Duration) (service.Drainage, error) {
	var err error
	for began := time.Now(); err == nil && !d.Empty(); d, err = client.Drainage() {
		switch {
		case time.Since(began) > limit:
			return d, fmt.Errorf("not empty within %s: %s left; the node keeps draining", limit, left(d))
		case d.Kept:
			return d, fmt.Errorf("every other node is down or draining, so the node keeps its share: %s left; it drains once another is up", left(d))
		case !d.Draining:
			return d, fmt.Errorf("the node was undrained meanwhile: %s left", left(d))
		}
		time.Sleep(drainPause)
	}
	return d, err
}

func progress(d service.Drainage) string {
	if d.Empty() {
		return "the node is empty: it can be stopped"
	}
	return fmt.Sprintf("the node drains: %s left", left(d))
}

func left(d service.Drainage) string {
	return fmt.Sprintf("%d partitions, %d jobs that wait, %d attempts", d.Partitions, d.Waiting, d.Running)
}
