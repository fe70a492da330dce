package events

import (
	"fmt"
	"regexp"
	"strconv"
)

// FileName returns the name under which the result of an attempt is stored. It is unique to the attempt, and names the job's partition, so that
// anybody who finds the file knows where to ask for its job. extension begins with a dot.
func FileName(job JobID, attempt AttemptID, partition int32, extension string) string {
	return fmt.Sprintf("%s-%s-%d%s", job, attempt, partition, extension)
}

// fileName matches the names that FileName makes.
var fileName = regexp.MustCompile(`^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-[0-9a-f]{16}-([0-9]{1,5})\.`)

// ParseFileName returns the job that a file belongs to, and the job's partition; false for a name that FileName does not make.
func ParseFileName(name string) (job JobID, partition int32, ok bool) {
	m := fileName.FindStringSubmatch(name)
	if m == nil {
		return job, 0, false
	}
	job, err := ParseJobID(m[1])
	p, wrong := strconv.ParseInt(m[2], 10, 32)
	return job, int32(p), err == nil && wrong == nil
}
