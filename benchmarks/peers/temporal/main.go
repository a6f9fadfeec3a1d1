// The three-step order as a Temporal workflow: worker and load in one process. It measures what its standard
// input asks for, one line of JSON after the other, and answers each with a line when all orders are processed.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	namespace = "bench"
	taskQueue = "orders"
	submitted = 100 // at the same time, of a backlog
)

var steps = []string{"first", "second", "third"}

// Order is what each step gets: some 400 bytes of JSON.
type Order struct {
	ID      string `json:"id"`
	Padding string `json:"padding"`
}

// Measurement is a line of the standard input.
type Measurement struct {
	Kind   string `json:"kind"`
	Orders int    `json:"orders"`
	Width  int    `json:"width"`
}

// processOrder runs the steps, and undoes those that are done, in reverse order, if one fails for good.
func processOrder(ctx workflow.Context, order Order) (err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 30 * time.Second})
	var done []string
	defer func() {
		if err == nil {
			return
		}
		undoing, cancel := workflow.NewDisconnectedContext(ctx)
		defer cancel()
		for i := len(done) - 1; i >= 0; i-- {
			undo := workflow.ExecuteActivity(undoing, "undo-"+done[i], order)
			err = errors.Join(err, undo.Get(undoing, nil))
		}
	}()
	for _, step := range steps {
		if err = workflow.ExecuteActivity(ctx, step, order).Get(ctx, nil); err != nil {
			return err
		}
		done = append(done, step)
	}
	return nil
}

func main() {
	address := os.Getenv("TEMPORAL_ADDRESS")
	registerNamespace(address)
	temporal, err := client.Dial(client.Options{HostPort: address, Namespace: namespace, Logger: silent{}})
	must(err)
	defer temporal.Close()
	load := &load{temporal: temporal}
	w := worker.New(temporal, taskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(processOrder, workflow.RegisterOptions{Name: "process-order"})
	for _, step := range steps {
		w.RegisterActivityWithOptions(load.act(step), activity.RegisterOptions{Name: step})
		w.RegisterActivityWithOptions(load.act("undo"), activity.RegisterOptions{Name: "undo-" + step})
	}
	must(w.Start())
	defer w.Stop()
	load.untilAccepted()
	fmt.Println(`{"ready":true}`)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked Measurement
		must(json.Unmarshal(lines.Bytes(), &asked))
		load.run(asked)
		fmt.Println(`{"done":true}`)
	}
}

// load starts workflows and knows who waits for which order of a backlog.
type load struct {
	temporal client.Client
	waiting  sync.Map
}

// act is what a step does: nothing. The third tells whoever waits for the order that it ran.
func (l *load) act(step string) func(context.Context, Order) (map[string]bool, error) {
	return func(_ context.Context, order Order) (map[string]bool, error) {
		if step == "third" {
			if waiting, found := l.waiting.LoadAndDelete(order.ID); found {
				waiting.(*sync.WaitGroup).Done()
			}
		}
		return map[string]bool{"ok": true}, nil
	}
}

func (l *load) run(asked Measurement) {
	switch asked.Kind {
	case "backlog":
		var processed sync.WaitGroup
		processed.Add(asked.Orders)
		inParallel(asked.Orders, submitted, func() {
			order := newOrder()
			l.waiting.Store(order.ID, &processed)
			_, err := l.start(order)
			must(err)
		})
		processed.Wait()
	case "inFlight":
		inParallel(asked.Orders, asked.Width, l.one)
	case "lone":
		l.one()
	default:
		log.Fatalf("no such measurement: %s", asked.Kind)
	}
}

// one processes one order, and returns when its end is recorded.
func (l *load) one() {
	run, err := l.start(newOrder())
	must(err)
	must(run.Get(context.Background(), nil))
}

func (l *load) start(order Order) (client.WorkflowRun, error) {
	options := client.StartWorkflowOptions{ID: order.ID, TaskQueue: taskQueue}
	return l.temporal.ExecuteWorkflow(context.Background(), options, "process-order", order)
}

// untilAccepted waits until every part of the server knows the namespace.
func (l *load) untilAccepted() {
	for {
		run, err := l.start(newOrder())
		if err == nil && run.Get(context.Background(), nil) == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func registerNamespace(address string) {
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: address, Logger: silent{}})
	must(err)
	defer namespaces.Close()
	var exists *serviceerror.NamespaceAlreadyExists
	for {
		err := namespaces.Register(context.Background(), &workflowservice.RegisterNamespaceRequest{
			Namespace:                        namespace,
			WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
		})
		if err == nil || errors.As(err, &exists) {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func newOrder() Order {
	return Order{ID: uuid.NewString(), Padding: strings.Repeat("x", 340)}
}

// inParallel does something so often, at most width times at the same time.
func inParallel(times, width int, act func()) {
	var all sync.WaitGroup
	slots := make(chan struct{}, width)
	for range times {
		slots <- struct{}{}
		all.Go(func() {
			act()
			<-slots
		})
	}
	all.Wait()
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(message string, fields ...any) {
	log.Println(append([]any{message}, fields...)...)
}
