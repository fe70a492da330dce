package account

import "platen.dev/events"

var weights = map[events.Plan]int{events.PlanFree: 1, events.PlanStarter: 2, events.PlanPro: 4, events.PlanBusiness: 8}

// Weight returns an account's share of a busy node relative to others, by its plan. An unknown plan gets the least.
func Weight(plan events.Plan) int { return max(1, weights[plan]) }
