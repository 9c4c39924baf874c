package platformapi

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var (
	errForbidden = errors.New("only an administrator of the active account may do this")
	errTaken     = errors.New("a runtime of this name is registered from another cluster or namespace")
)

// caller is the owner of a token: a user, or a runtime (then user is nil).
type caller struct {
	user    *User
	runtime *Runtime
	account string
}

// store contains accounts, users, runtimes and events. Its methods may be called concurrently.
type store struct {
	mu       sync.RWMutex
	seed     Seed
	runtimes []Runtime
	events   eventLog
	records  records
	now      func() time.Time
	saved    func([]Runtime) error
}

func newStore(seed Seed, now func() time.Time) *store {
	return &store{seed: seed, runtimes: withTokens(seed.Runtimes), records: newRecords(), now: now, saved: func([]Runtime) error { return nil }}
}

// withTokens returns a copy of runtimes with the fields that the seed may omit.
func withTokens(runtimes []Runtime) []Runtime {
	filled := slices.Clone(runtimes)
	for i := range filled {
		filled[i].Status = cmp.Or(filled[i].Status, "COMPLETED")
		filled[i].Token = cmp.Or(filled[i].Token, newToken())
	}
	return filled
}

func newToken() string { return "runtime-" + rand.Text() }

// reset restores the seed and deletes all events.
func (s *store) reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runtimes, s.events, s.records = withTokens(s.seed.Runtimes), eventLog{}, newRecords()
	return s.saved(s.runtimes)
}

// adopt replaces the runtimes, as those of a platform that has outlived its cluster.
func (s *store) adopt(runtimes []Runtime) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runtimes = withTokens(runtimes)
	return s.saved(s.runtimes)
}

// caller returns the owner of a token. An empty or unknown token has no owner.
func (s *store) caller(token string) (caller, bool) {
	if token == "" {
		return caller{}, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, user := range s.seed.Users {
		if user.Token == token {
			return caller{user: &user, account: user.Account}, true
		}
	}
	for _, runtime := range s.runtimes {
		if runtime.Token == token {
			return caller{runtime: &runtime, account: runtime.Account}, true
		}
	}
	return caller{}, false
}

func (s *store) account(id string) (Account, bool) {
	i := slices.IndexFunc(s.seed.Accounts, func(a Account) bool { return a.ID == id })
	if i < 0 {
		return Account{}, false
	}
	return s.seed.Accounts[i], true
}

func (s *store) isAdmin(who caller) bool {
	account, ok := s.account(who.account)
	return ok && who.user != nil && slices.Contains(account.Admins, who.user.ID)
}

// list returns the runtimes of an account, or of all accounts if it is empty, sorted by account and name.
func (s *store) list(account string) []Runtime {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []Runtime{}
	for _, runtime := range s.runtimes {
		if account == "" || runtime.Account == account {
			found = append(found, runtime)
		}
	}
	slices.SortFunc(found, func(a, b Runtime) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Name, b.Name))
	})
	return found
}

func (s *store) runtime(account, name string) (Runtime, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := s.index(account, name); i >= 0 {
		return s.runtimes[i], true
	}
	return Runtime{}, false
}

// register adds a runtime with a new token. A runtime that registers again from the same cluster and namespace receives a new token in place of the
// old one, so that a registration that failed halfway can be repeated.
func (s *store) register(who caller, runtime Runtime) (Runtime, error) {
	if !s.isAdmin(who) {
		return Runtime{}, errForbidden
	}
	runtime.Account, runtime.Status, runtime.Token = who.account, "COMPLETED", newToken()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(runtime.Account, runtime.Name)
	switch {
	case i < 0:
		s.runtimes = append(s.runtimes, runtime)
	case s.runtimes[i].Cluster == runtime.Cluster && s.runtimes[i].Namespace == runtime.Namespace:
		s.runtimes[i] = runtime
	default:
		return Runtime{}, fmt.Errorf("%w: %q", errTaken, runtime.Name)
	}
	return runtime, s.saved(s.runtimes)
}

// remove deletes a runtime and returns the number of deleted runtimes, 0 or 1. A runtime may remove itself.
func (s *store) remove(who caller, name string) (int, error) {
	itself := who.runtime != nil && who.runtime.Name == name
	if !itself && !s.isAdmin(who) {
		return 0, errForbidden
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(who.account, name)
	if i < 0 {
		return 0, nil
	}
	s.runtimes = slices.Delete(s.runtimes, i, i+1)
	return 1, s.saved(s.runtimes)
}

// index returns the index of a runtime; the caller holds the lock.
func (s *store) index(account, name string) int {
	return slices.IndexFunc(s.runtimes, func(r Runtime) bool { return r.Account == account && r.Name == name })
}
