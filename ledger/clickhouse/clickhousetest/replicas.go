package clickhousetest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// Cluster is the name of the cluster that StartReplicas sets up.
const Cluster = "main"

const zookeeperVariable = "PLATEN_TEST_ZOOKEEPER"

// replicaConfig is the configuration of a replica, in addition to serverConfig. A killed replica counts as dead after session_timeout_ms.
const replicaConfig = `
  <zookeeper><node><host>127.0.0.1</host><port>%s</port></node><session_timeout_ms>2000</session_timeout_ms></zookeeper>
  <interserver_http_host>127.0.0.1</interserver_http_host><interserver_http_port>%s</interserver_http_port>
  <macros><shard>1</shard><replica>%d</replica></macros><distributed_ddl><path>/clickhouse/ddl</path></distributed_ddl>
  <remote_servers><` + Cluster + `><shard><internal_replication>true</internal_replication>%s</shard></` + Cluster + `></remote_servers>`

// StartReplicas starts n servers that are the replicas of one shard, with their own ZooKeeper. They run until the test ends.
func StartReplicas(t testing.TB, n int) []*Server {
	t.Helper()
	return StartZooKeeper(t).StartReplicas(t, n)
}

// StartReplicas starts n servers that are the replicas of one shard. They run until the test ends.
func (z *ZooKeeper) StartReplicas(t testing.TB, n int) []*Server {
	t.Helper()
	ports := testkit.FreePorts(t, 2*n)
	var members strings.Builder
	for _, address := range ports[:n] {
		fmt.Fprintf(&members, "<replica><host>127.0.0.1</host><port>%s</port></replica>", portOf(address))
	}
	servers := make([]*Server, n)
	for i := range servers {
		config := fmt.Sprintf(replicaConfig, portOf(z.address), portOf(ports[n+i]), i+1, members.String())
		servers[i] = start(t, &Server{Address: ports[i]}, config)
	}
	return servers
}

// LoseDisk gives a killed server an empty disk. It gets another replica's table definitions, and fetches their contents when it is started again.
func (s *Server) LoseDisk(t testing.TB, other *Server) {
	t.Helper()
	data := filepath.Join(s.dir, "data")
	for _, err := range []error{
		os.RemoveAll(data),
		os.MkdirAll(filepath.Join(data, "flags"), 0o700),
		os.WriteFile(filepath.Join(data, "flags", "force_restore_data"), nil, 0o600),
		os.CopyFS(filepath.Join(data, "metadata"), os.DirFS(filepath.Join(other.dir, "data", "metadata"))),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

const zookeeperConfig = `tickTime=500
dataDir=%s
clientPort=%s
clientPortAddress=127.0.0.1
admin.enableServer=false
4lw.commands.whitelist=srvr
`

// ZooKeeper is a ZooKeeper server for one test.
type ZooKeeper struct {
	address string
	process *exec.Cmd
}

// StartZooKeeper starts a server that runs until the test ends. PLATEN_TEST_ZOOKEEPER is the directory of its jars.
func StartZooKeeper(t testing.TB) *ZooKeeper {
	t.Helper()
	jars := os.Getenv(zookeeperVariable)
	if jars == "" {
		t.Fatalf("%[1]s is not set: export %[1]s=$(testdata/clickhouse/zookeeper.sh)", zookeeperVariable)
	}
	dir := t.TempDir()
	address := testkit.FreePorts(t, 1)[0]
	file := filepath.Join(dir, "zoo.cfg")
	if err := os.WriteFile(file, fmt.Appendf(nil, zookeeperConfig, dir, portOf(address)), 0o600); err != nil {
		t.Fatal(err)
	}
	process := exec.Command("java", "-Xmx256m", "-XX:+UseSerialGC", "-cp", filepath.Join(jars, "*"), "org.apache.zookeeper.server.quorum.QuorumPeerMain", file)
	run(t, process)
	testkit.Eventually(t, "ZooKeeper answers", func() bool { return serves(address) })
	return &ZooKeeper{address, process}
}

// Signal sends ZooKeeper a signal. After SIGSTOP it returns once ZooKeeper has stopped.
func (z *ZooKeeper) Signal(t testing.TB, signal os.Signal) {
	t.Helper()
	send(t, z.process.Process, signal)
}

// run runs a process until the test ends.
func run(t testing.TB, process *exec.Cmd) {
	t.Helper()
	said := new(bytes.Buffer)
	process.Stdout, process.Stderr = said, said
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill() // it may have ended
		_ = process.Wait()
		if t.Failed() {
			t.Logf("%s said:\n%.5000s", process.Path, said)
		}
	})
}

// serves asks ZooKeeper for its state. Before it accepts sessions, its answer is different.
func serves(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(conn, "srvr"); err != nil {
		return false
	}
	answer, _ := io.ReadAll(conn)
	return bytes.HasPrefix(answer, []byte("Zookeeper version"))
}
