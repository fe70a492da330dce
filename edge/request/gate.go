package request

import (
	"platen.dev/edge/schema"
	"platen.dev/events"
)

// Gates are the fields of a request that need a plan, in the order of their declaration.
type Gates []schema.Gate

// Required is the smallest plan that has all of the fields; "" for every plan.
func (g Gates) Required() (least events.Plan) {
	for _, gate := range g {
		if plan := events.Plan(gate.Plan); !least.Includes(plan) {
			least = plan
		}
	}
	return least
}

// FirstMissing is the first of the fields that a plan does not have.
func (g Gates) FirstMissing(plan events.Plan) (schema.Gate, bool) {
	for _, gate := range g {
		if !plan.Includes(events.Plan(gate.Plan)) {
			return gate, true
		}
	}
	return schema.Gate{}, false
}
