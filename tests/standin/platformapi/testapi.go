package platformapi

import (
	"encoding/json"
	"net/http"

	"gitops-runtime/tests/standin/serve"
)

// testPrefix is the prefix of the paths for tests, which a runtime never uses. They need no token.
const testPrefix = "/test/"

// testAPI adds the handlers by which tests inspect the platform, reset it and inject faults.
func (p *Platform) testAPI(mux *http.ServeMux) {
	mux.HandleFunc("GET /test/events", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		serve.JSON(w, http.StatusOK, p.Events(query.Get("kind"), query.Get("runtime")))
	})
	mux.HandleFunc("GET /test/runtimes", func(w http.ResponseWriter, _ *http.Request) {
		serve.JSON(w, http.StatusOK, p.Runtimes())
	})
	mux.HandleFunc("PUT /test/runtimes", func(w http.ResponseWriter, r *http.Request) {
		var runtimes []Runtime
		if problem := decode(w, r, &runtimes); problem != "" {
			serve.Failure(w, http.StatusBadRequest, "the request body is not a list of runtimes: "+problem)
			return
		}
		if err := p.data.adopt(runtimes); err != nil {
			serve.Failure(w, http.StatusInternalServerError, err.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /test/tasks", func(w http.ResponseWriter, r *http.Request) {
		var task Task
		if problem := decode(w, r, &task); problem != "" {
			serve.Failure(w, http.StatusBadRequest, "the body is not a task: "+problem)
			return
		}
		p.AddTask(r.URL.Query().Get("runtime"), task)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /test/inbox/{name}", func(w http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		if problem := decode(w, r, &body); problem != "" {
			serve.Failure(w, http.StatusBadRequest, "the body is not JSON: "+problem)
			return
		}
		p.data.receive(r.PathValue("name"), body)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /test/inbox/{name}", func(w http.ResponseWriter, r *http.Request) {
		serve.JSON(w, http.StatusOK, p.data.received(r.PathValue("name")))
	})
	mux.HandleFunc("POST /test/reset", func(w http.ResponseWriter, _ *http.Request) {
		if err := p.Reset(); err != nil {
			serve.Failure(w, http.StatusInternalServerError, err.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /test/faults", func(w http.ResponseWriter, r *http.Request) {
		var fault Fault
		if problem := decode(w, r, &fault); problem != "" {
			serve.Failure(w, http.StatusBadRequest, "the body is not a fault: "+problem)
			return
		}
		p.Inject(fault)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE /test/faults", func(w http.ResponseWriter, _ *http.Request) {
		p.ClearFaults()
		w.WriteHeader(http.StatusNoContent)
	})
}

// decode decodes the JSON body of a request strictly; it returns a description of the problem.
func decode(w http.ResponseWriter, r *http.Request, into any) string {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err.Error()
	}
	return ""
}
