// Package nemesis has what the nemesis test plays its faults with: a world of its own for
// the whole run, hosts with a network between them that it can harm packet by packet, small
// disks, a cluster of Kafka brokers, and the schedule of faults that follows from a seed.
//
// A run lives in namespaces of its own (processes, mounts, network). Nothing that it does
// reaches the machine around it, and the kernel ends all of it with the test. The network
// between its hosts is a switch in the test's process, so a fault is a rule of the switch,
// and no kernel module for queues or packet filters is needed.
package nemesis
