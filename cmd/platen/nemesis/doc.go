// Package nemesis provides the faults of the nemesis test: a separate world for the whole run,
// hosts with a network between them that it can disturb packet by packet, small disks, a cluster of
// Kafka brokers, and the schedule of faults determined by a seed.
//
// A run lives in its own namespaces (processes, mounts, network). Nothing that it does reaches the
// machine around it, and the kernel ends all of it with the test. The network between its hosts is
// a switch in the test's process, so a fault is a rule of the switch, and no kernel module for
// queues or packet filters is needed.
package nemesis
