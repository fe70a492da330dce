package dashboard

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// public serves the pages for which nobody is signed in; false if the path is none of them.
func (d *Dashboard) public(ctx *fasthttp.RequestCtx, path string) bool {
	switch {
	case path == "/sign-in" && ctx.IsPost():
		d.signIn(ctx)
	case path == "/sign-in":
		d.show(ctx, d.signInPage(ctx, string(ctx.QueryArgs().Peek("next"))))
	case Path+path == awayPath && ctx.IsGet() && d.cfg.SignIn != nil:
		d.goAway(ctx)
	case Path+path == backPath && ctx.IsGet() && d.cfg.SignIn != nil:
		d.comeBack(ctx)
	case path == "/sign-in/code" && ctx.IsPost():
		d.takeCode(ctx)
	case path == "/sign-in/passkey/ask" && ctx.IsPost():
		d.askForPasskey(ctx)
	case path == "/sign-in/passkey" && ctx.IsPost():
		d.takePasskey(ctx)
	case path == "/sign-in/demo" && ctx.IsPost():
		d.signInDemo(ctx)
	case strings.HasPrefix(path, "/invitation/"):
		d.invitation(ctx, strings.TrimPrefix(path, "/invitation/"))
	default:
		return false
	}
	return true
}

// nextPath is a path of the dashboard that is shown after the sign-in: whatever else a link says leads home.
func nextPath(next string) string {
	if !Serves(next) || strings.ContainsAny(next, "\\\r\n") || strings.Contains(next, "..") {
		return Path
	}
	return next
}

// toSignIn asks to sign in, and then leads to the page that was asked for.
func (d *Dashboard) toSignIn(ctx *fasthttp.RequestCtx) {
	if !ctx.IsGet() {
		d.message(ctx, 403, "signedout")
		return
	}
	d.leadToSignIn(ctx, string(ctx.URI().PathOriginal()))
}

// leadToSignIn leads to the sign-in page, and afterwards to a path of the dashboard.
func (d *Dashboard) leadToSignIn(ctx *fasthttp.RequestCtx, next string) {
	target := Path + "/sign-in"
	if next != Path && nextPath(next) == next {
		target += "?next=" + next
	}
	redirect(ctx, target)
}

// errNoMatch means that an email address and a password do not belong together, or that too many attempts were made.
var errNoMatch = errors.New("no match")

// maxMemberships is how many accounts a sign-in looks at.
const maxMemberships = 20

// signIn signs a member in. Whether it is the email address, the password or the number of attempts that is wrong is not
// told, and takes the same time: a password is compared in any case.
func (d *Dashboard) signIn(ctx *fasthttp.RequestCtx) {
	args := ctx.PostArgs()
	email, password := events.FoldEmail(string(args.Peek("email"))), string(args.Peek("password"))
	if !d.mayTry(ctx) {
		return
	}
	found, err := d.match(email, password)
	switch {
	case errors.Is(err, errNoMatch):
		ctx.SetStatusCode(403)
		view := d.signInPage(ctx, string(args.Peek("next")))
		view.Email, view.Wrong = clip(email), true
		d.show(ctx, view)
	case err != nil:
		d.unavailable(ctx, "sign in", err)
	default:
		d.afterPassword(ctx, found, nextPath(string(args.Peek("next"))))
	}
}

// afterPassword signs in a member who has shown its password, or asks for the second factor.
func (d *Dashboard) afterPassword(ctx *fasthttp.RequestCtx, found projections.Membership, next string) {
	t, err := d.cfg.Models.Team(found.Account)
	m, _ := t.Member(found.Member)
	switch {
	case err != nil:
		d.unavailable(ctx, "read members", err)
	case len(m.Factor) > 0:
		d.askCode(ctx, found, next)
	default:
		d.openFor(ctx, found.Account, found.Member, next)
	}
}

// match finds the account whose member has an email address and a password.
func (d *Dashboard) match(email, password string) (found projections.Membership, err error) {
	all, err := d.cfg.Models.Memberships(email, maxMemberships)
	if err != nil {
		return found, err
	}
	if len(all) == 0 { // a command that changes nothing takes as long as one that counts
		all = []projections.Membership{{Account: nobody, Member: "mem_nobody"}}
	}
	for _, m := range all {
		hash, err := d.attempt(m)
		if err == nil {
			err = d.password.compare(hash, password)
		}
		if err == nil && found.Account == "" {
			found = m
		}
		if err != nil && !errors.Is(err, errNoMatch) {
			return found, err
		}
	}
	if found.Account == "" {
		return found, errNoMatch
	}
	return found, nil
}

// nobody is an account that does not exist.
const nobody events.AccountID = "acc_nobody"

// attempt counts an attempt of a member to sign in, and returns the hash to compare with: one that nothing fits if there is no
// such member, it has no password, or it has to wait.
func (d *Dashboard) attempt(m projections.Membership) (hash string, err error) {
	t, err := d.cfg.Models.Team(m.Account)
	if err != nil {
		return "", err
	}
	reply, err := d.command(events.Author{}, m.Account, events.BeginSignIn{Member: m.Member})
	if err != nil || reply.Code != events.Accepted {
		return d.password.fake(), err
	}
	member, _ := t.Member(m.Member)
	return member.Password, nil
}

// newSession is a session of a member in the browser of a request. Its secret is made by open.
func (d *Dashboard) newSession(ctx *fasthttp.RequestCtx, member events.MemberID) events.Session {
	address, _ := d.cfg.ClientOf(ctx)
	return events.Session{
		ID: events.NewSessionID(), Member: member, Until: d.now().Add(sessionTime),
		Address: address, Agent: clip(strings.ToValidUTF8(string(ctx.UserAgent()), "")),
	}
}

// open opens a session by a command, and leads to a path. The error is errNoMatch if what was shown was used before, is not enough,
// or is the member's no more.
func (d *Dashboard) open(ctx *fasthttp.RequestCtx, account events.AccountID, s events.Session, next string, by func(events.Session) events.CommandBody) error {
	var secret []byte
	secret, s.Hash = newSecret()
	reply, err := d.command(events.Author{Member: s.Member, Address: s.Address}, account, by(s))
	if err != nil {
		return err
	}
	switch reply.Code {
	case events.Accepted:
	case events.Stale, events.NoSuchPasskey, events.NoSuchMember:
		return errNoMatch
	default:
		return errors.New(string(reply.Code))
	}
	d.setCookie(ctx, cookieValue(account, s.ID, secret), sessionTime)
	redirect(ctx, next)
	return nil
}

// openFor opens a session of a member who needs no code, or says that it cannot.
func (d *Dashboard) openFor(ctx *fasthttp.RequestCtx, account events.AccountID, member events.MemberID, next string) {
	open := func(s events.Session) events.CommandBody { return events.OpenSession{Session: s} }
	if err := d.open(ctx, account, d.newSession(ctx, member), next, open); err != nil {
		d.unavailable(ctx, "open session", err)
	}
}

// demoPlans are the accounts that a browser on this machine signs in to with one click.
func (d *Dashboard) demoPlans(ctx *fasthttp.RequestCtx) (all []events.Plan) {
	if len(d.cfg.Demo) == 0 || !d.local(ctx) {
		return nil
	}
	for _, plan := range events.Plans() {
		if d.cfg.Demo[plan] != "" {
			all = append(all, plan)
		}
	}
	return all
}

// signInDemo signs in to a demo account as its member.
func (d *Dashboard) signInDemo(ctx *fasthttp.RequestCtx) {
	account := d.cfg.Demo[events.Plan(ctx.PostArgs().Peek("plan"))]
	if account == "" || !d.local(ctx) {
		d.message(ctx, 404, "nopage")
		return
	}
	t, err := d.cfg.Models.Team(account)
	if err != nil || len(t.Members) == 0 {
		d.unavailable(ctx, "demo account", err)
		return
	}
	d.afterPassword(ctx, projections.Membership{Account: account, Member: t.Members[0].ID}, Path)
}

// signOut ends the visitor's session.
func (d *Dashboard) signOut(ctx *fasthttp.RequestCtx, v visitor) {
	if d.do(ctx, v, events.CloseSession{Member: v.member.ID, Session: v.session}) {
		d.setCookie(ctx, "", 0)
		d.leadToSignIn(ctx, string(ctx.PostArgs().Peek("next")))
	}
}

// invitation shows the page on which an invited member chooses a password, and takes it.
func (d *Dashboard) invitation(ctx *fasthttp.RequestCtx, link string) {
	account, member, secret, ok := parseInvitation(link)
	if !ok || !d.catchUp(account) {
		d.message(ctx, 404, "invitation")
		return
	}
	t, err := d.cfg.Models.Team(account)
	m, known := t.Member(member)
	if err != nil || !known || m.Invitation != hashOf(secret) || m.Until <= d.now() {
		d.message(ctx, 404, "invitation")
		return
	}
	shown := page.Invitation{Action: Path + "/invitation/" + link, Account: account, Email: m.Email}
	if !ctx.IsPost() {
		d.show(ctx, shown)
		return
	}
	args := ctx.PostArgs()
	password, wrong := newPassword(string(args.Peek("password")), string(args.Peek("repeat")), m.Email)
	if wrong != "" {
		ctx.SetStatusCode(422)
		shown.Wrong = page.Text("password." + wrong)
		d.show(ctx, shown)
		return
	}
	d.join(ctx, account, member, secret, password)
}

// join sets the password of an invited member and signs it in.
func (d *Dashboard) join(ctx *fasthttp.RequestCtx, account events.AccountID, member events.MemberID, secret []byte, password string) {
	hash, err := d.password.hash(password)
	if err != nil {
		d.unavailable(ctx, "hash password", err)
		return
	}
	address, _ := d.cfg.ClientOf(ctx)
	reply, err := d.command(events.Author{Member: member, Address: address}, account, events.AcceptInvitation{Member: member, Invitation: hashOf(secret), Password: hash})
	switch {
	case err != nil:
		d.unavailable(ctx, "accept invitation", err)
	case reply.Code != events.Accepted:
		d.message(ctx, 404, "invitation")
	default:
		d.openFor(ctx, account, member, Path)
	}
}

// NewInvitation makes the secret of a one-time link, and the path of the link for a member.
func NewInvitation(account events.AccountID, member events.MemberID) (path string, hash [32]byte) {
	secret, hash := newSecret()
	return Path + "/invitation/" + string(account) + "/" + string(member) + "/" + base64.RawURLEncoding.EncodeToString(secret), hash
}

func parseInvitation(link string) (account events.AccountID, member events.MemberID, secret []byte, ok bool) {
	parts := strings.Split(link, "/")
	if len(parts) != 3 || len(link) > maxCookie {
		return "", "", nil, false
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	return events.AccountID(parts[0]), events.MemberID(parts[1]), secret, err == nil && len(secret) == secretSize
}
