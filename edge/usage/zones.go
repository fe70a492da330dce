package usage

import _ "time/tzdata" // callers name time zones, whatever the machine has
