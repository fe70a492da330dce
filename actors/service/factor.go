package service

import (
	"crypto/subtle"
	"strings"
	"time"

	"github.com/pquerna/otp/hotp"

	"platen.dev/events"
	"platen.dev/projections"
)

// A second factor is a code of an authenticator (TOTP, RFC 6238): six digits, renewed every 30 seconds.

const (
	codePeriod = 30 // seconds
	// codeSlack is how many time steps the clock of an authenticator may be off.
	codeSlack = 1
)

// codeStep returns the time step that a code belongs to, or false if the code is not valid now.
func codeStep(secret, code string, now time.Time) (step int64, ok bool) {
	code = strings.ReplaceAll(code, " ", "")
	present := now.Unix() / codePeriod
	for at := present - codeSlack; at <= present+codeSlack; at++ {
		want, err := hotp.GenerateCode(secret, uint64(at))
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, ok = at, true
		}
	}
	return step, ok
}

// MatchCode counts an attempt of a member, and returns the time step of a code. It refuses with BadCode if the code is not valid now or the member
// has to wait.
func (s Sessions) MatchCode(m projections.Membership, code string) (step int64, err error) {
	t, err := s.Replica.Team(m.Account)
	if err != nil {
		return 0, err
	}
	member, _ := t.Member(m.Member)
	secret, err := s.Seal.OpenFor(m.Account, member.Factor)
	if err != nil {
		return 0, err
	}
	tried, err := s.try(m)
	if err != nil {
		return 0, err
	}
	step, ok := codeStep(secret, code, s.Now())
	if !ok || secret == "" || !tried {
		return 0, refuse(BadCode)
	}
	return step, nil
}

// SetFactor makes the member's sign-in require a code, once the authenticator has shown one for the secret. It refuses with BadCode, and with
// FactorIsSet while the member has a factor.
func (s Sessions) SetFactor(p Principal, secret, code string) error {
	step, ok := codeStep(secret, code, s.Now())
	if !ok {
		return refuse(BadCode)
	}
	err := s.run(p, events.SetSecondFactor{Member: p.by.Member, Secret: s.Seal.SealFor(p.Account, secret), Step: step})
	return as(err, events.AlreadyExists, FactorIsSet)
}

// RemoveFactor removes the member's second factor in exchange for a code: an unlocked screen is not enough. It refuses with BadCode.
func (s Sessions) RemoveFactor(p Principal, code string) error {
	step, err := s.MatchCode(projections.Membership{Account: p.Account, Member: p.by.Member}, code)
	if err != nil {
		return err
	}
	return as(s.run(p, events.SetSecondFactor{Member: p.by.Member, Step: step}), events.Stale, BadCode)
}
