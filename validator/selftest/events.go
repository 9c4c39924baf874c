package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// EventsOptions configure the test of Argo Events.
type EventsOptions struct {
	// Name is the name of all objects that the test creates.
	Name string
	// Bus is the version of JetStream, one of those that the controller knows.
	Bus string
	// Endpoint is the path of the event source, and Post the URL to which events are sent: through internal-router, or directly.
	Endpoint, Post string
	// Trigger is the address of this pod's Service, which the sensor calls.
	Trigger string
}

// conditions is the part of the status of an object of Argo Events that describes its state.
type conditions struct {
	Status struct {
		Conditions []struct {
			Type    string `json:"type"`
			Status  string `json:"status"`
			Reason  string `json:"reason"`
			Message string `json:"message"`
		} `json:"conditions"`
	} `json:"status"`
}

// ready reports whether there are conditions and all are true; otherwise it returns the reason.
func (c conditions) ready() (bool, string) {
	for _, condition := range c.Status.Conditions {
		if condition.Status != "True" {
			return false, fmt.Sprintf("%s is %s (%s): %s", condition.Type, condition.Status, condition.Reason, condition.Message)
		}
	}
	if len(c.Status.Conditions) == 0 {
		return false, "no Argo Events controller has taken it up"
	}
	return true, ""
}

// Events creates an event bus, a webhook event source and a sensor, posts an event to the event source, and waits until the sensor calls this pod with
// it.
func Events(ctx context.Context, s Surroundings, o EventsOptions, report *Report) {
	logs := "look at the log of the Argo Events controller: kubectl logs -n " + s.Namespace + " -l app.kubernetes.io/part-of=argo-events"
	if s.eventParts(ctx, o, logs, report) {
		got, err := s.deliver(ctx, o)
		report.Add(Check{
			Name: "argo-events/event", Title: "An event reaches its trigger",
			Asked: "POST " + o.Post + ", and a sensor that calls " + o.Trigger,
			Fix:   "look at the logs of internal-router and, while the test runs, of the pods of EventSource and Sensor; see whether NetworkPolicies of yours keep them apart",
		}, got, err)
	}
	report.Add(Check{
		Name: "argo-events/delete", Title: "Event bus, event source and sensor are deleted", Asked: "delete them",
		Fix: "run the test again: it begins by removing what is left",
	}, "", s.remove(ctx, s.eventPaths(o)...))
}

// eventPaths returns the API paths of the objects that the test creates. The controller removes its finalizer from the bus once nothing uses it.
func (s Surroundings) eventPaths(o EventsOptions) []string {
	return []string{
		s.path("argoproj.io", "sensors", o.Name), s.path("argoproj.io", "eventsources", o.Name), s.path("argoproj.io", "eventbus", o.Name),
	}
}

// eventParts creates the three objects and waits for each.
func (s Surroundings) eventParts(ctx context.Context, o EventsOptions, fix string, report *Report) bool {
	parts := []struct {
		word, resource, title string
		manifest              object
	}{
		{"bus", "eventbus", "The event bus is ready", s.eventBus(o)},
		{"source", "eventsources", "The event source is ready", s.eventSource(o)},
		{"sensor", "sensors", "The sensor is ready", s.sensor(o)},
	}
	err := s.remove(ctx, s.eventPaths(o)...)
	if err != nil {
		err = fmt.Errorf("what an earlier run has left: %w", err)
	}
	for _, part := range parts {
		if err == nil {
			err = s.create(ctx, part.resource, part.manifest)
		}
		if err != nil {
			return report.Add(Check{Name: "argo-events/" + part.word, Title: part.title, Asked: "create " + part.resource + " " + o.Name, Fix: fix}, "", err)
		}
	}
	for _, part := range parts {
		got, err := s.until(ctx, func(ctx context.Context) (bool, string, error) {
			var found conditions
			if err := s.watched(ctx, s.path("argoproj.io", part.resource, o.Name), &found); err != nil {
				return false, "", err
			}
			done, state := found.ready()
			return done, state, nil
		})
		check := Check{
			Name: "argo-events/" + part.word, Title: part.title, Fix: fix,
			Asked: fmt.Sprintf("%s %s in namespace %s", part.resource, o.Name, s.Namespace),
		}
		if !report.Add(check, got, err) {
			return false
		}
	}
	return true
}

// deliver posts the event repeatedly: a sensor that has just started does not receive earlier events.
func (s Surroundings) deliver(ctx context.Context, o EventsOptions) (string, error) {
	received := make(chan struct{}, 1)
	stop, err := s.serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var payload struct {
			Run string `json:"run"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&payload); err == nil && payload.Run == s.Run {
			select {
			case received <- struct{}{}:
			default:
			}
		}
		w.WriteHeader(http.StatusOK)
	}))
	if err != nil {
		return "", err
	}
	defer stop()
	body, err := json.Marshal(object{"run": s.Run})
	if err != nil {
		return "", fmt.Errorf("event: %w", err)
	}
	sent := 0
	return s.until(ctx, func(ctx context.Context) (bool, string, error) {
		select {
		case <-received:
			return true, fmt.Sprintf("sent %d times", sent), nil
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.Post, bytes.NewReader(body))
		if err != nil {
			return false, "", final{fmt.Errorf("%s: %w", o.Post, err)}
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := send(s.HTTP, request)
		if err == nil && answer.status != http.StatusOK {
			err = fmt.Errorf("the event source answers HTTP %d", answer.status)
		}
		if err != nil {
			return false, "", err
		}
		sent++
		return false, "the event source has taken it, the sensor has not called", nil
	})
}

// podSettings returns the scheduling and the security context of the pods of Argo Events' programs.
func (s Surroundings) podSettings() object {
	return joined(
		only(s.Pod.Spec, "nodeSelector", "tolerations", "affinity", "imagePullSecrets", "securityContext", "priorityClassName"),
		object{"metadata": s.Pod.Metadata},
	)
}

func (s Surroundings) eventBus(o EventsOptions) object {
	return custom("EventBus", o.Name, nil, object{"jetstream": joined(s.podSettings(), object{
		"version":                   o.Bus,
		"replicas":                  1,
		"streamConfig":              "replicas: 1\n",
		"containerTemplate":         s.Pod.permissions(),
		"reloaderContainerTemplate": s.Pod.permissions(),
		"metricsContainerTemplate":  s.Pod.permissions(),
	})})
}

func (s Surroundings) eventSource(o EventsOptions) object {
	return custom("EventSource", o.Name, nil, object{
		"eventBusName": o.Name,
		"template":     joined(s.podSettings(), object{"container": s.Pod.permissions()}),
		"service":      object{"ports": []object{{"port": 80, "targetPort": 12000}}},
		"webhook":      object{"said": object{"port": "12000", "endpoint": o.Endpoint, "method": http.MethodPost}},
	})
}

func (s Surroundings) sensor(o EventsOptions) object {
	return custom("Sensor", o.Name, nil, object{
		"eventBusName": o.Name,
		"template":     joined(s.podSettings(), object{"container": s.Pod.permissions()}),
		"dependencies": []object{{"name": "said", "eventSourceName": o.Name, "eventName": "said"}},
		"triggers": []object{{"template": object{
			"name": "call",
			"http": object{
				"url": o.Trigger, "method": http.MethodPost,
				"payload": []object{{"src": object{"dependencyName": "said", "dataKey": "body.run"}, "dest": "run"}},
			},
		}}},
	})
}
