package router_test

import (
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// names is a name server: known names have the address 127.0.0.1, others do not exist.
type names struct {
	address string
	mutex   sync.Mutex
	known   map[string]bool
	asked   []string
	away    bool // away does not respond
}

func serveNames(t *testing.T, known ...string) *names {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	served := &names{address: socket.LocalAddr().String(), known: map[string]bool{}}
	for _, name := range known {
		served.known[name+"."] = true
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 1500)
		for {
			size, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return // closed
			}
			if answer, err := served.answer(buffer[:size]); err == nil && !served.isAway() {
				_, _ = socket.WriteTo(answer, from)
			}
		}
	}()
	t.Cleanup(func() {
		_ = socket.Close()
		<-done
	})
	return served
}

func (n *names) answer(query []byte) ([]byte, error) {
	var message dnsmessage.Message
	if err := message.Unpack(query); err != nil {
		return nil, err
	}
	question := message.Questions[0]
	name := question.Name.String()
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.asked = append(n.asked, name)
	message.Response = true
	switch {
	case !n.known[name]:
		message.RCode = dnsmessage.RCodeNameError
	case question.Type == dnsmessage.TypeA:
		message.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	return message.Pack()
}

// goAway simulates a name server without pods.
func (n *names) goAway() {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.away = true
}

func (n *names) isAway() bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.away
}

// questions returns the names that were resolved, without a dot at the end.
func (n *names) questions() []string {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	var all []string
	for _, name := range n.asked {
		all = append(all, name[:len(name)-1])
	}
	return all
}
