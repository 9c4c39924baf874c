package reporter

import "sync"

// states are the last status of each resource of each Application.
type states struct {
	mu sync.Mutex
	of map[string]map[string]string
}

// changed are the resources of an Application whose status is another than the last time.
func (s *states) changed(app application) []managed {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, now := s.of[app.id()], map[string]string{}
	var changed []managed
	for _, resource := range app.status.Resources {
		now[resource.key()] = resource.state()
		if last[resource.key()] != resource.state() {
			changed = append(changed, resource)
		}
	}
	s.of[app.id()] = now
	return changed
}

// forget makes the next status of each resource of an Application a change.
func (s *states) forget(app application) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, app.id())
}
