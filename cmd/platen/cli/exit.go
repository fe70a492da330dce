package cli

import "fmt"

// Exit is an error that ends the process with a status of its own. What there is to say has been written
// already.
type Exit int

// Error implements error.
func (e Exit) Error() string { return fmt.Sprint("exit with status ", int(e)) }
