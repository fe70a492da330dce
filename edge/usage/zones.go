package usage

import _ "time/tzdata" // callers name time zones that the machine may lack
