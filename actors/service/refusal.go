package service

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/team"
)

// ErrUnavailable means that an action got no answer: its outcome is unknown, and it may be repeated.
var ErrUnavailable = errors.New("the account’s shard does not answer; try again")

// Code names why an action was refused: a reply of an account, or one of those below.
type Code = events.ReplyCode

// Refusals before anything was sent, and replies that an action makes more precise.
const (
	NotAllowed        Code = "role"
	RateLimited       Code = "rate-limited"
	NotText           Code = "not-text"
	BadKeyName        Code = "key-name"
	KeyMade           Code = "key-made"
	BadTemplateName   Code = "template-name"
	BadTemplate       Code = "template"
	NoSuchVersion     Code = "no-such-version"
	BadHeader         Code = "header"
	BadEndpoint       Code = "webhook-url"
	TestUnderWay      Code = "testing"
	SecretMade        Code = "secret-made"
	SecretShown       Code = "rotated"
	BadEmail          Code = "email"
	OwnLink           Code = "own-link"
	ManyLetters       Code = "many-letters"
	BadRole           Code = "no-role"
	BadAnchor         Code = "anchor"
	BadFileLimit      Code = "file-limit"
	BadBlocks         Code = "blocks"
	BadOverlap        Code = "overlap"
	BadReason         Code = "reason"
	BadAdjustment     Code = "adjustment"
	BadPasskeyName    Code = "passkey-name"
	NoBlocks          Code = "no-blocks"
	LevelStays        Code = "level-stays"
	NotDrained        Code = "not-drained"
	SignInCrowd       Code = "sign-in-crowd"
	NoMatch           Code = "no-match"
	OtherConnected    Code = "connected-elsewhere"
	BadCode           Code = "code"
	FactorIsSet       Code = "factor-is-set"
	PasswordShort     Code = "password-short"
	PasswordLong      Code = "password-long"
	PasswordSigns     Code = "password-signs"
	PasswordsDiffer   Code = "password-repeat"
	PasswordGuessable Code = "password-guess"
	WrongPassword     Code = "current"
)

// Refusal says why an action was refused. Nothing was changed.
type Refusal struct {
	Code Code
	// RetryAfter is in seconds; zero if waiting does not help.
	RetryAfter int64
	// Cause adds detail to Code; nil if there is none.
	Cause error
	// Reply is the account's reply, if the account refused.
	Reply events.Reply
}

// Error returns the refusal in words for members.
func (r *Refusal) Error() string { return r.words().member }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

// Advice returns the refusal in words for operators; it names the commands that help for the account.
func (r *Refusal) Advice(account events.AccountID) string {
	w := r.words()
	if w.operator == "" {
		return w.member
	}
	return strings.ReplaceAll(w.operator, "ACCOUNT", string(account))
}

func (r *Refusal) words() words {
	w, known := refusals[r.Code]
	switch {
	case r.Cause != nil && !known:
		return words{member: r.Cause.Error()}
	case r.Cause != nil:
		w.operator = r.Cause.Error()
	case !known:
		return words{member: "That’s refused: " + string(r.Code) + "."}
	}
	return w
}

// refuse returns a Refusal.
func refuse(code Code) error { return &Refusal{Code: code} }

// because is refuse with a cause.
func because(code Code, cause error) error { return &Refusal{Code: code, Cause: cause} }

// as replaces a general code of a refusal by a more precise one.
func as(err error, general, precise Code) error {
	var r *Refusal
	if errors.As(err, &r) && r.Code == general {
		return &Refusal{Code: precise, RetryAfter: r.RetryAfter, Reply: r.Reply}
	}
	return err
}

// CodeOf returns the code of a refusal; "" if the error is not one.
func CodeOf(err error) Code {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}

// Text returns the words for members for a code, or false if there are none.
func Text(code Code) (string, bool) {
	w, known := refusals[code]
	return w.member, known
}

// minOverlap and maxOverlap are the bounds of an overlap of secrets, in hours.
const (
	minOverlap = int(contract.MinOverlap / time.Hour)
	maxOverlap = int(contract.MaxOverlap / time.Hour)
)

// nameWanted refuses a name. Its limit is in bytes, so a name of fewer characters may be too long.
func nameWanted(of string, most int) string {
	return fmt.Sprintf("%s needs a name of at most %d bytes: most letters take one, accented ones two, Chinese ones three.", of, most)
}

// words explain a refusal: to members, and to operators if they need other words. ACCOUNT stands for the account.
type words struct{ member, operator string }

// refusals has the words for every refusal that a person can meet.
var refusals = map[Code]words{
	NotAllowed:        {member: "That’s not with your role. An owner of the account can change it."},
	RateLimited:       {member: "The account has made too many requests. Wait a moment, then try again."},
	NotText:           {member: "Something in that can’t be kept: it isn’t text, or there’s too much of it."},
	BadKeyName:        {nameWanted("A key", events.MaxKeyName), fmt.Sprintf("the name of a key is limited to %d bytes of text on one line", events.MaxKeyName)},
	KeyMade:           {"This key was made already, and its secret shown then. If you don’t have it, revoke the key and make another.", "the key was made already; a secret is shown only then"},
	BadTemplateName:   {nameWanted("A template", contract.MaxTemplateName), fmt.Sprintf("a template's name is limited to %d bytes of text on one line", contract.MaxTemplateName)},
	BadTemplate:       {member: "The template isn’t valid."},
	NoSuchVersion:     {member: "There’s no such version."},
	BadHeader:         {member: "There can’t be such a header. Names have letters, digits and dashes, values visible characters, and some names are Platen’s own."},
	BadEndpoint:       {member: "An endpoint is an http or https address without credentials. For those, set a header."},
	TestUnderWay:      {member: "Another test is under way. Wait for its answer."},
	SecretMade:        {"The secret was replaced already, and the new one shown then. If you don’t have it, rotate the secret again.", "the secret was replaced already; a secret is shown only then"},
	SecretShown:       {member: "A secret is shown when it’s created. Rotate it to get a new one."},
	BadEmail:          {"That’s not an email address.", "an email address is one like ada@example.com"},
	OwnLink:           {member: "You can’t make a link for yourself. Change your password under Security, or ask another owner."},
	ManyLetters:       {member: "That address was sent many letters today. Hand the link over yourself."},
	BadRole:           {"There’s no such role.", "a role is owner, developer or billing"},
	BadAnchor:         {member: "quota windows start at a time since 1970 that has passed"},
	BadFileLimit:      {member: fmt.Sprintf("a file may have at most %d MB", account.MaxFileLimit>>20)},
	BadBlocks:         {member: fmt.Sprintf("an account has 0 to %d blocks of extra volume", account.MaxBlocks)},
	BadOverlap:        {fmt.Sprintf("Secrets overlap by %d to %d hours.", minOverlap, maxOverlap), fmt.Sprintf("secrets overlap by %d to %d hours", minOverlap, maxOverlap)},
	BadReason:         {member: fmt.Sprintf("a suspension needs a reason of up to %d characters, on one line: the account's members read it", events.MaxReason)},
	BadAdjustment:     {member: "That correction isn’t possible."},
	BadPasskeyName:    {member: nameWanted("A passkey", team.MaxPasskeyName)},
	NoBlocks:          {"Extra volume is sold on the business plan only.", "extra volume is sold on the business plan only"},
	SignInCrowd:       {member: "Many people are signing in right now. Try again in a moment."},
	NoMatch:           {member: "That email address and password don’t match, or there were too many attempts."},
	OtherConnected:    {member: "Another member of this account signs in as that person."},
	BadCode:           {member: "That code isn’t right. Type the one that your app shows now."},
	PasswordShort:     {member: fmt.Sprintf("Use at least %d characters.", minPassword)},
	PasswordLong:      {member: fmt.Sprintf("Use at most %d characters.", maxPassword)},
	PasswordSigns:     {member: "One of these characters can’t be in a password: a control character such as a tab, or one that Unicode hasn’t assigned."},
	PasswordsDiffer:   {member: "The passwords don’t match."},
	PasswordGuessable: {member: "That’s too easy to guess. Use a few random words."},
	FactorIsSet:       {member: "Two-step sign-in is on already. Turn it off first, with a code of the app that you use now."},
	WrongPassword:     {member: "That’s not your current password, or there were too many attempts."},

	events.NoSuchAccount:    {"There’s no such account.", "no account ACCOUNT; `platen admin account list` shows all accounts"},
	events.UnknownPlan:      {"There’s no such plan.", "there is no such plan: choose free, starter, pro or business"},
	events.PlanRequired:     {member: "That needs a larger plan."},
	events.NoSuchKey:        {"There’s no such key.", "account ACCOUNT has no such key; `platen admin key list ACCOUNT` shows its keys"},
	events.TooManyKeys:      {fmt.Sprintf("The account has %d keys already. Revoke one you don’t use.", events.MaxKeys), fmt.Sprintf("account ACCOUNT has %d keys already, which is the limit: revoke one that is not used (`platen admin key list ACCOUNT`)", events.MaxKeys)},
	events.NoSuchTemplate:   {"There’s no such template.", "account ACCOUNT has no such template; `platen admin template list ACCOUNT` shows its templates"},
	events.TooManyTemplates: {fmt.Sprintf("The account has %d templates already. Delete one first.", contract.MaxTemplates), fmt.Sprintf("account ACCOUNT has %d templates already, which is the limit", contract.MaxTemplates)},
	events.NoSuchHeader:     {"There’s no such header.", "account ACCOUNT has no such header; `platen admin webhook headers list ACCOUNT` shows its headers"},
	events.TooManyHeaders:   {fmt.Sprintf("The account has %d headers already. Delete one first.", contract.MaxWebhookHeaders), fmt.Sprintf("account ACCOUNT has %d headers already, which is the limit", contract.MaxWebhookHeaders)},
	events.OverlapUnderWay:  {"The secret before the present one still signs.", "the secret before the present one still signs, until when `platen admin webhook secret show ACCOUNT` says; with --end-overlap it stops"},
	events.NoSuchMember:     {"There’s no such member.", "account ACCOUNT has no such member; `platen admin member list ACCOUNT` shows its members"},
	events.TooManyMembers:   {fmt.Sprintf("The account has %d members already. Remove one first.", team.MaxMembers), fmt.Sprintf("account ACCOUNT has %d members already, which is the limit", team.MaxMembers)},
	events.LastOwner:        {"The account needs an owner. Make somebody else owner first.", "an account keeps an owner: make somebody else owner first"},
	events.NoSuchPasskey:    {member: "There’s no such passkey."},
	events.TooManyPasskeys:  {member: fmt.Sprintf("You have %d passkeys already. Remove one you don’t use.", team.MaxPasskeys)},
	events.SignInOld:        {member: "It’s too long ago that you signed in. Sign in again, then repeat it."},
	events.Stale:            {member: "That took too long, or another window was faster. Try again."},
	events.AlreadyExists:    {"That exists already.", "it exists already"},
	events.AlreadyEnded:     {member: "The job has ended already."},
	events.NotEnded:         {"The job hasn’t ended yet. Its webhook is sent when it has.", "the job has not ended; its webhook is sent when it is done or has failed"},
	events.NoWebhook:        {"The job has no webhook.", "the job has no webhook"},
	events.NoSuchFile:       {member: "There’s no such job."},
	events.NoSuchCommand:    {member: "The command is not in quarantine."},
	events.OutOfRange:       {member: "That value isn’t possible here."},
}
