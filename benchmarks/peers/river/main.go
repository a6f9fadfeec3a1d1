// The three-step order as a chain of River jobs: workers and load in one process. It measures what its standard
// input asks for, one line of JSON after the other, and answers each with a line when all orders are processed.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const (
	inserted    = 200 // by one statement, of a backlog
	maxWorkers  = 100
	connections = 24
)

// Order is what each step gets: some 400 bytes of JSON.
type Order struct {
	ID      string `json:"id"`
	Padding string `json:"padding"`
}

// Each step is a kind of job, whose worker inserts the next one's.
type (
	first  Order
	second Order
	third  Order
)

func (first) Kind() string  { return "first" }
func (second) Kind() string { return "second" }
func (third) Kind() string  { return "third" }

// Measurement is a line of the standard input.
type Measurement struct {
	Kind   string `json:"kind"`
	Orders int    `json:"orders"`
	Width  int    `json:"width"`
}

// waiting holds, by order, who waits until its third step ran.
var waiting sync.Map

func workFirst(ctx context.Context, job *river.Job[first]) error {
	return insert(ctx, second(job.Args))
}

func workSecond(ctx context.Context, job *river.Job[second]) error {
	return insert(ctx, third(job.Args))
}

func workThird(_ context.Context, job *river.Job[third]) error {
	if processed, found := waiting.LoadAndDelete(job.Args.ID); found {
		processed.(*sync.WaitGroup).Done()
	}
	return nil
}

func insert(ctx context.Context, next river.JobArgs) error {
	_, err := river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, next, nil)
	return err
}

func main() {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	must(err)
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	must(err)
	defer pool.Close()
	jobs := start(ctx, pool)
	fmt.Println(`{"ready":true}`)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked Measurement
		must(json.Unmarshal(lines.Bytes(), &asked))
		run(ctx, jobs, asked)
		fmt.Println(`{"done":true}`)
	}
	must(jobs.Stop(ctx))
}

func start(ctx context.Context, pool *pgxpool.Pool) *river.Client[pgx.Tx] {
	driver := riverpgxv5.New(pool)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: quiet})
	must(err)
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	must(err)
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(workFirst))
	river.AddWorker(workers, river.WorkFunc(workSecond))
	river.AddWorker(workers, river.WorkFunc(workThird))
	jobs, err := river.NewClient(driver, &river.Config{
		Logger:  quiet,
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: maxWorkers}},
		Workers: workers,
		// Its default is 100 ms, which each step of a lone order would wait for.
		FetchCooldown:     time.Millisecond,
		FetchPollInterval: time.Second,
	})
	must(err)
	must(jobs.Start(ctx))
	return jobs
}

func run(ctx context.Context, jobs *river.Client[pgx.Tx], asked Measurement) {
	one := func() {
		var processed sync.WaitGroup
		_, err := jobs.Insert(ctx, first(newOrder(&processed)), nil)
		must(err)
		processed.Wait()
	}
	switch asked.Kind {
	case "backlog":
		backlog(ctx, jobs, asked.Orders)
	case "inFlight":
		inParallel(asked.Orders, asked.Width, one)
	case "lone":
		one()
	default:
		log.Fatalf("no such measurement: %s", asked.Kind)
	}
}

func backlog(ctx context.Context, jobs *river.Client[pgx.Tx], orders int) {
	var processed sync.WaitGroup
	for left := orders; left > 0; left -= inserted {
		some := make([]river.InsertManyParams, min(left, inserted))
		for i := range some {
			some[i] = river.InsertManyParams{Args: first(newOrder(&processed))}
		}
		_, err := jobs.InsertManyFast(ctx, some)
		must(err)
	}
	processed.Wait()
}

// newOrder makes an order whose third step is waited for.
func newOrder(processed *sync.WaitGroup) Order {
	order := Order{ID: uuid.NewString(), Padding: strings.Repeat("x", 340)}
	processed.Add(1)
	waiting.Store(order.ID, processed)
	return order
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
