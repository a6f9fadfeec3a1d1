/**
 * What it means when an invariant does not hold, and what to do. Keys are the names in the view.
 */
const explanations: Readonly<Record<string, string>> = {
  "every task has steps":
    "The task was written without its steps, so nothing will ever happen to it: submit it anew.",
  "the state of a task follows from its steps":
    "The task says something else than its steps: a row was changed by hand, or a release decided wrongly.",
  "an unfinished task has something to wait for":
    "No step is due, in progress or in error. The Supervisor plans it anew within a minute; should it stay, report it.",
  "an unfinished task can be decided about":
    "Its definition in state.workflows, or its rows, were changed: restore them. Tasks of a workflow go on by themselves within seconds; a task that is paused alone is resumed with POST /v1/tasks/:id/resume.",
  "nothing is left to do in a finished task":
    "The task has ended and a step of it has not: that step will not be done.",
  "every step belongs to a task":
    "The row of its task is gone: rows were deleted by hand, or restored in part.",
  "nothing more is begun of a paused task":
    "A step of a paused task is due all the same: a Scheduler may take it.",
  "only what is to be undone has undos":
    "The task is still to be done, and already has an undo: a row was changed by hand.",
  "no undo meets its own do":
    "The undo was begun before its call was over: compare with the remote service's ledger.",
  "what an undone task did is undone":
    "The task counts as undone, this undo was never done: do it by hand, under its idempotency key.",
  "what may have had an effect has its undo":
    "The task is being undone, and nothing undoes this step: look for its idempotency key at the remote service.",
  "nothing is begun before what it waits for":
    "The step was begun although one before it was not done.",
  "a step awaits exactly while it has a wait":
    "The step and the row of its wait in state.waits differ: it may wait for ever, or end a second time. Rows were changed by hand.",
  "no wait outlives its task":
    "The task has ended, and a wait of it is left in state.waits: rows were changed by hand.",
  "a signal that came makes its wait due":
    "A signal is there that the step waits for, and no Scheduler is to look at the wait: rows were changed by hand. Set due_at of its row in state.waits to now.",
  "a signal is taken by a step that is done":
    "A signal counts as taken by a step that has not ended: rows were changed by hand.",
  "every signal belongs to a task":
    "A signal is left of a task that is gone: delete its row from state.signals.",
  "a decision that decides makes its wait due":
    "People have decided a step, and no Scheduler is to look at its wait: rows were changed by hand. Set due_at of its row in state.waits to now.",
  "a step that was rejected is not done":
    "One of its audience rejected the step, and it counts as done all the same: rows were changed by hand. See what the steps after it did, and undo the task.",
  "a step is done once enough have approved it":
    "The step counts as done, and fewer people have approved it than the workflow asks for: rows were changed by hand. See what the steps after it did, and undo the task.",
  "every decision belongs to a task":
    "A decision is left of a task that is gone: delete its row from state.decisions.",
  "what fired has its task or its refusal":
    "A schedule fired, and what it submitted is neither in the inbox nor a task nor refused: rows were deleted by hand, or the store has lost a task. Have the schedule fire by hand for the instant.",
  "a wait ends once":
    "The history has two ends of one wait: look for what the steps after it did twice.",
  "an attempt is claimed once":
    "Two Schedulers claimed one attempt: compare with the remote service's ledger.",
  "an attempt ends once":
    "One attempt was counted twice: compare the step's output with the remote service's ledger.",
  "the history of a step is unbroken":
    "A move does not begin where the one before ended: a row or the history was changed by hand.",
  "the history of a step ends where it stands":
    "The step is elsewhere than its history says: a row was changed by hand.",
  "every claim is in the history":
    "Attempts and claims differ in number: a row or the history was changed by hand.",
  "every reply belongs to a task":
    "Work was done for a task that this store does not know: the store was restored, or failed over to a standby that had not received it. Compare with the remote services' ledgers, and submit the order anew under its Idempotency-Key.",
  "at most one open task has a business key":
    "Two open tasks of one workflow have the same key: rows of state.business_keys were changed by hand. Cancel one of them.",
  "every halt raises one alert":
    "The task halted without an alert, or with more than one: look at the task itself.",
};

/** One line about an invariant that does not hold. */
export const explainInvariant = (invariant: string): string =>
  explanations[invariant] ?? "A later release made this rule: its name says what does not hold.";
