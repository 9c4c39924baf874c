package reporter

import "sync"

// states contains the last status of each resource of each Application.
type states struct {
	mu sync.Mutex
	of map[string]map[string]string
}

// changed returns the resources of an Application whose status has changed since the last call.
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

// forget deletes the status of each resource of an Application, so that the next one is a change.
func (s *states) forget(app application) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, app.id())
}
