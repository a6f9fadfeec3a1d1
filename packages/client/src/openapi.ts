// Written by `npm run reference`, from docs/reference/openapi.json.

export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process runs. */
        get: operations["getLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process can do its work. 503 while it cannot; the body says why. */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the console must know of this installation. */
        get: operations["getConsoleSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The task, its state, its result and its steps.
         * @description Its ETag is its version: operators send it back as If-Match.
         */
        get: operations["getTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every move of the task and its steps, with actor, time and reason. */
        get: operations["getHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The task of the collection, its state, its result and its steps.
         * @description Its ETag is its version: operators send it back as If-Match.
         */
        get: operations["getTaskOfCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every move of the task of the collection and its steps, with actor, time and reason. */
        get: operations["getHistoryOfCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The result of the task: waits for it with `wait=30s`. */
        get: operations["getResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The result of the task of the collection: waits for it with `wait=30s`. */
        get: operations["getResultOfCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows the task: its moves as they come, until it has ended.
         * @description Server-Sent Events. `moved`: an entry of its history, with its id as the id of the event. `task`: the task as it stands since. `end`: it has ended, or was deleted (`state` null); then the stream ends. Without Last-Event-ID it begins with the first move. After a lost connection, moves of the last five seconds before Last-Event-ID may come once more.
         */
        get: operations["followTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows the task of the collection: its moves as they come, until it has ended.
         * @description Server-Sent Events. `moved`: an entry of its history, with its id as the id of the event. `task`: the task as it stands since. `end`: it has ended, or was deleted (`state` null); then the stream ends. Without Last-Event-ID it begins with the first move. After a lost connection, moves of the last five seconds before Last-Event-ID may come once more.
         */
        get: operations["followTaskOfCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: tasks that match, newest first, a page at a time.
         * @description A label `x` is asked for as `label.x`.
         */
        get: operations["listTasks"];
        put?: never;
        /** Submits a task of any stored workflow. 202 when it is durable. */
        post: operations["submitTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: tasks of the collection that match, newest first, a page at a time.
         * @description A label `x` is asked for as `label.x`.
         */
        get: operations["listTasksOfCollection"];
        put?: never;
        /** Submits a task of the workflow that has the collection. 202 when it is durable. */
        post: operations["submitTaskOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: undoes the task.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["undoTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: undoes the task, with another reason in its history.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["cancelTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: begins no further step until the task is resumed.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["pauseTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: ends a pause.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["resumeTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/steps/{step}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: ends the delay of a step.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["retryStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/resubmit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: retries a step that failed for good.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["resubmitStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: records what a person did instead of a failed step.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["resolveStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: undoes the task of the collection.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["undoTaskOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: undoes the task of the collection, with another reason in its history.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["cancelTaskOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: begins no further step until the task is resumed.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["pauseTaskOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: ends a pause.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["resumeTaskOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/steps/{step}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: ends the delay of a step.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["retryStepOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/resubmit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: retries a step that failed for good.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["resubmitStepOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: records what a person did instead of a failed step.
         * @description Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.
         */
        post: operations["resolveStepOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: claims no further step of this Agent. */
        post: operations["pauseAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: ends the pause of an Agent. */
        post: operations["resumeAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: claims no further step of this workflow's tasks. */
        post: operations["pauseWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: ends the pause of a workflow. */
        post: operations["resumeWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pauses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: what is paused, and what was, latest first. */
        get: operations["listPauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/remotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: the remote services, their circuit breakers, and the due steps that these hold back. */
        get: operations["listRemotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/remotes/{name}/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: opens the breaker of a remote service, until an operator closes it. */
        post: operations["openBreaker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/remotes/{name}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: closes the breaker of a remote service; its steps are released in growing numbers. */
        post: operations["closeBreaker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: the attempts of the task's steps, the waits between them, and replies that came too late.
         * @description Newest first, at most 1,000 of each. `input` and `output` are those of the latest attempt of each step.
         */
        get: operations["listAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: the attempts of the task of the collection's steps, the waits between them, and replies that came too late.
         * @description Newest first, at most 1,000 of each. `input` and `output` are those of the latest attempt of each step.
         */
        get: operations["listAttemptsOfCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: what the task waits for, or how it ended, as `holdfast why` says it.
         * @description `turnOf` says who is ahead of a step that is due; null: it waits for something else.
         */
        get: operations["explainTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/{id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: what the task of the collection waits for, or how it ended, as `holdfast why` says it.
         * @description `turnOf` says who is ahead of a step that is due; null: it waits for something else.
         */
        get: operations["explainTaskOfCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: how the servers are set up, and who serves whom, as `holdfast doctor` says it.
         * @description One look at a time; its findings are kept for five seconds.
         */
        get: operations["examine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: what must never be, among the tasks of the last day, as `holdfast verify` says it.
         * @description One look at a time, for ten seconds at most; what it found is kept for five. `complete` is false if there may be more.
         */
        get: operations["verify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: how many match.
         * @description Looks at half a million tasks at most. A label `x` is asked for as `label.x`.
         */
        get: operations["countTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: what matches all conditions, newest first, a page at a time.
         * @description A condition is a text, or any of `$eq`, `$in`, `$like` (with `*` for any characters) and `$exists`. Fields: workflow, state (`open` for all in which a task has not ended), priority, key, faultCode, correlationId, createdAt (`$gte`, `$lt`), `label.<name>`, fingerprint (of a group of failures) and text: an id, a key, an idempotency key, a correlation id or a fault code; of an id, a correlation id and a code the beginning will do. A page looks at 5000 tasks at most: it may have few items, and is the last only if `next` is null.
         */
        post: operations["searchTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: how many match.
         * @description Looks at half a million tasks at most. A label `x` is asked for as `label.x`.
         */
        get: operations["countTasksOfCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{collection}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: what matches all conditions, newest first, a page at a time.
         * @description A condition is a text, or any of `$eq`, `$in`, `$like` (with `*` for any characters) and `$exists`. Fields: workflow, state (`open` for all in which a task has not ended), priority, key, faultCode, correlationId, createdAt (`$gte`, `$lt`), `label.<name>`, fingerprint (of a group of failures) and text: an id, a key, an idempotency key, a correlation id or a fault code; of an id, a correlation id and a code the beginning will do. A page looks at 5000 tasks at most: it may have few items, and is the last only if `next` is null.
         */
        post: operations["searchTasksOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: the Agents, with their instances, slots, breakers and pauses, and the steps in flight and due. */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: how the system is, and what needs an operator.
         * @description At most a second old. Open tasks are counted now, tasks that ended over the last 24 hours, Agents over the last 15 minutes.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: what happened over time, of everything or of one workflow.
         * @description At most 400 buckets of equal width, whatever the range: the last day, unless it is said. A quantile is at most 10 % wrong. The Supervisors count: `rolledUpTo` says until when, and `behind` how many entries of the history are not counted yet.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: failures that are alike, in groups, the latest first.
         * @description Alike are failures of one workflow, step and fault code whose messages differ in numbers, ids and quoted values alone. `count` is how often they happened; with a range of time, how many tasks of that range failed so, counted no further than to 1,000.
         */
        get: operations["listFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: a workflow and its definition; without a version the newest that takes tasks.
         * @description The definition has its steps with their policies and undos, and the JSON Schemas of its input and of what its Agents take and return.
         */
        get: operations["getWorkflow"];
        /**
         * Operators: stores a workflow. 201 when it is new, 200 when it was there.
         * @description `warnings` names Agents that have never sent a heartbeat, and operations that no running instance announces.
         */
        put: operations["storeWorkflow"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: the stored workflows, with their collections, and which are retired. */
        get: operations["listWorkflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: has the workflow take no new tasks. */
        post: operations["retireWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: has a retired workflow take tasks again. */
        post: operations["reinstateWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk-operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: bulk operations, latest first, a page at a time. */
        get: operations["listBulkOperations"];
        put?: never;
        /**
         * Operators: creates a bulk operation: one action on all tasks that match now.
         * @description At most 100,000 tasks. The filter is that of a search, with at least one condition. `canary`: so many tasks first, and the others only if these succeed. `rate`: tasks a second, 10 unless said otherwise. With `dryRun` nothing is created. With an Idempotency-Key the same request stands for the same operation.
         */
        post: operations["createBulkOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk-operations/{id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: the tasks of a bulk operation and what became of each, a page at a time.
         * @description An item is `succeeded` only when its task has ended as the action intends, or its step got beyond the failure.
         */
        get: operations["listBulkItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk-operations/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Operators: applies no further item of a bulk operation; what was applied stays applied. */
        post: operations["stopBulkOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk-operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: a bulk operation, and how far it is. */
        get: operations["getBulkOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: follows all tasks: which of them have changed, and how the system is.
         * @description Server-Sent Events. `changed`, once a second at most: `{ tasks, more }`, at most 200 tasks with `id`, `workflow`, `state`, `version` and `updatedAt` as they are now, the latest first; `more` have changed besides. `tick`, each two seconds: `{ at, overview }` as `GET /v1/overview` answers it. After a lost connection it goes on after Last-Event-ID: of the last 20,000 moves, and tasks of the last five seconds may come once more.
         */
        get: operations["followChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: messages that no service could use, latest first, a page at a time. */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letter-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: which dead letters were sent once more or discarded, by whom and why, latest first. */
        get: operations["listDeadLetterActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: sends a dead letter once more, as it came.
         * @description Only submissions and replies can be sent once more; `replayable` says which. It is gone from the list once a queue has it, and comes back if what made it a dead letter is still there. Asking again does no harm: it is sent under its own message id.
         */
        post: operations["replayDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/{id}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operators: deletes a dead letter for good.
         * @description Who did it and why stays in `GET /v1/dead-letter-actions`.
         */
        post: operations["discardDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operators: what the tasks run on: processes, queues, outbox, months and the settings of this process.
         * @description At most five seconds old. `queues` is null where RabbitMQ's HTTP API is not known or does not answer; `queuesNote` says why. Secrets are shown as `(secret)`, and URLs without their passwords. Durations are milliseconds.
         */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description Stable: see the catalogue of fault codes. */
            code: string;
            /** @description One sentence: what is wrong, and what to do. */
            detail: string;
            errors?: {
                pointer: string;
                detail: string;
            }[];
            /** @description Of `task.key_in_use`: the open task that has the key. */
            taskId?: string;
        };
        Step: {
            name: string;
            /** @enum {unknown} */
            kind: "call" | "compensation";
            agent: string;
            /** @enum {unknown} */
            processState: "waiting" | "pending" | "processing" | "processed" | "error" | "skipped" | "cancelled";
            attempt: number;
            failureCount: number;
            requeueCount: number;
            lockedBy: string | null;
            completeBy: string | null;
            startedAt: string | null;
            heartbeatAt: string | null;
            progress: {
                percent?: number;
                note?: string;
            } | null;
            notBefore: string | null;
            faultCode: string | null;
            faultDetail: string | null;
            /** @description Any JSON. */
            output: unknown;
        };
        Task: {
            id: string;
            /** @description With its version. */
            workflow: string;
            /** @enum {unknown} */
            state: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
            /** @enum {unknown} */
            goal: "do" | "undo";
            /** @description Also the ETag, for If-Match. */
            version: number;
            /** @enum {unknown} */
            priority: "urgent" | "normal" | "batch";
            fairness: {
                key: string;
                weight: number;
            } | null;
            faultCode: string | null;
            key: string | null;
            labels: {
                [key: string]: string;
            };
            notBefore: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            finishedAt: string | null;
            paused: {
                /** Format: date-time */
                at: string;
                by: string;
                reason: string;
            } | null;
            traceId: string | null;
            /** @description Any JSON. */
            result: unknown;
            steps: components["schemas"]["Step"][];
            /** @description Any JSON. */
            input: unknown;
        };
        CollectionTask: {
            id: string;
            /** @description With its version. */
            workflow: string;
            /** @enum {unknown} */
            state: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
            /** @enum {unknown} */
            goal: "do" | "undo";
            /** @description Also the ETag, for If-Match. */
            version: number;
            /** @enum {unknown} */
            priority: "urgent" | "normal" | "batch";
            fairness: {
                key: string;
                weight: number;
            } | null;
            faultCode: string | null;
            key: string | null;
            labels: {
                [key: string]: string;
            };
            notBefore: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            finishedAt: string | null;
            paused: {
                /** Format: date-time */
                at: string;
                by: string;
                reason: string;
            } | null;
            traceId: string | null;
            /** @description Any JSON. */
            result: unknown;
            steps: components["schemas"]["Step"][];
        } & {
            [key: string]: unknown;
        };
        ListedTask: {
            id: string;
            /** @description With its version. */
            workflow: string;
            /** @enum {unknown} */
            state: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
            /** @enum {unknown} */
            goal: "do" | "undo";
            /** @description Also the ETag, for If-Match. */
            version: number;
            /** @enum {unknown} */
            priority: "urgent" | "normal" | "batch";
            fairness: {
                key: string;
                weight: number;
            } | null;
            faultCode: string | null;
            key: string | null;
            labels: {
                [key: string]: string;
            };
            notBefore: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            finishedAt: string | null;
            correlationId: string | null;
            paused: boolean;
        };
        TaskPage: {
            items: components["schemas"]["ListedTask"][];
            next: string | null;
        };
        TaskCount: {
            count: number;
            /** @description False: at least so many. */
            complete: boolean;
        };
        Accepted: {
            id: string;
        };
        TaskResult: {
            id: string;
            /** @enum {unknown} */
            state: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
            /** @description Any JSON. */
            result: unknown;
            faultCode: string | null;
        };
        HistoryEntry: {
            id: string;
            step: string | null;
            action: string;
            fromState: string | null;
            toState: string;
            attempt: number | null;
            actor: string;
            reason: string | null;
            note: string | null;
            /** Format: date-time */
            at: string;
        };
        History: {
            items: components["schemas"]["HistoryEntry"][];
        };
        ConsoleSettings: {
            traceUrlTemplate: string | null;
        };
        Workflow: {
            name: string;
            collections: string[];
            /** Format: date-time */
            createdAt: string;
            retired: {
                /** Format: date-time */
                at: string;
                by: string;
                reason: string;
            } | null;
        };
        Workflows: {
            items: components["schemas"]["Workflow"][];
        };
        StoredWorkflow: {
            name: string;
            collections: string[];
            /** Format: date-time */
            createdAt: string;
            retired: {
                /** Format: date-time */
                at: string;
                by: string;
                reason: string;
            } | null;
            definition: Record<string, never>;
        };
        WorkflowStored: {
            name: string;
            warnings: string[];
        };
        Agent: {
            name: string;
            living: number;
            slots: number;
            inFlight: number;
            due: number;
            oldestDueMs: number | null;
            paused: {
                /** Format: date-time */
                at: string;
                by: string;
                reason: string;
            } | null;
            instances: {
                name: string;
                slots: number;
                inFlight: number;
                /** @enum {unknown} */
                breaker: "closed" | "open" | "half-open";
                openUntil: string | null;
                /** Format: date-time */
                lastSeen: string;
                living: boolean;
            }[];
        };
        Agents: {
            items: components["schemas"]["Agent"][];
        };
        PauseRecord: {
            /** @enum {unknown} */
            kind: "agent" | "workflow";
            name: string;
            actor: string;
            reason: string | null;
            /** Format: date-time */
            pausedAt: string;
            resumedAt: string | null;
            resumedBy: string | null;
            resumeReason: string | null;
        };
        Pauses: {
            items: components["schemas"]["PauseRecord"][];
        };
        Remote: {
            name: string;
            /** @enum {unknown} */
            breaker: "closed" | "open" | "half-open";
            agents: string[];
            since: string | null;
            actor: string | null;
            reason: string | null;
            held: boolean;
            openUntil: string | null;
            throttledUntil: string | null;
            heldSteps: number;
            heldTasks: string[];
            probe: {
                taskId: string;
                step: string | null;
            } | null;
        };
        Remotes: {
            items: components["schemas"]["Remote"][];
        };
        Attempt: {
            step: string;
            /** @enum {unknown} */
            kind: "call" | "compensation";
            undoes: string | null;
            attempt: number;
            agent: string;
            lockedBy: string;
            /** Format: date-time */
            claimedAt: string;
            startedAt: string | null;
            heartbeatAt: string | null;
            completeBy: string | null;
            endedAt: string | null;
            /** @enum {unknown} */
            outcome: "running" | "processed" | "failed" | "expired" | "requeued" | "cancelled";
            faultCode: string | null;
            faultDetail: string | null;
            progress: {
                percent?: number;
                note?: string;
            } | null;
            /** @description Any JSON. */
            input: unknown;
            /** @description Any JSON. */
            output: unknown;
        };
        Attempts: {
            items: components["schemas"]["Attempt"][];
            waits: {
                step: string;
                /** Format: date-time */
                from: string;
                until: string | null;
                reason: string;
            }[];
            lateReplies: {
                step: string | null;
                attempt: number | null;
                /** Format: date-time */
                at: string;
                reason: string;
                sender: string | null;
            }[];
            /** @description There are more than are shown. */
            truncated: boolean;
        };
        Explanation: {
            taskId: string;
            workflow: string;
            /** @enum {unknown} */
            state: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
            sentence: string;
            evidence: string[];
            turnOf: string | null;
        };
        Examination: {
            /** Format: date-time */
            at: string;
            ok: boolean;
            findings: {
                check: string;
                /** @enum {unknown} */
                severity: "ok" | "warning" | "error";
                sentence: string;
                advice: string | null;
            }[];
        };
        Verification: {
            /** Format: date-time */
            at: string;
            ok: boolean;
            tasks: number;
            complete: boolean;
            violations: {
                rule: string;
                taskId: string | null;
                sentence: string;
            }[];
        };
        Statistics: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            until: string;
            bucketMs: number;
            rolledUpTo: string | null;
            /** @description Entries of the history that are not counted yet. */
            behind: number;
            buckets: {
                /** Format: date-time */
                at: string;
                submitted: number;
                processed: number;
                compensated: number;
                /** @description How often tasks began to wait for an operator. */
                halted: number;
                /** @description Attempts that began. */
                attempts: number;
                failedAttempts: number;
                /** @description Steps that were undone. */
                undone: number;
                latencyMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
            }[];
            workflows: {
                workflow: string;
                submitted: number;
                processed: number;
                compensated: number;
                /** @description How often tasks began to wait for an operator. */
                halted: number;
                /** @description Attempts that began. */
                attempts: number;
                failedAttempts: number;
                /** @description Steps that were undone. */
                undone: number;
                latencyMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
            }[];
        };
        Overview: {
            /** Format: date-time */
            at: string;
            states: {
                pending: number;
                processing: number;
                compensating: number;
                error: number;
                processed: number;
                compensated: number;
            };
            perMinute: {
                submitted: number;
                ended: number;
            };
            oldestDueMs: number | null;
            needsYou: {
                /** @enum {unknown} */
                kind: "halted" | "breaker" | "deadLetters" | "paused" | "agentSilent" | "outbox" | "alert";
                count: number;
                sentence: string;
                since: string | null;
                /** @description Of the console. */
                page: string;
            }[];
            agents: {
                name: string;
                instances: number;
                slots: number;
                inFlight: number;
                /** @description Counted no further than to 1,000. */
                due: number;
                oldestDueMs: number | null;
                p50Ms: number | null;
                p95Ms: number | null;
                okPercent: number | null;
                /** @enum {unknown} */
                breaker: "closed" | "open" | "half-open";
                breakerUntil: string | null;
                heldSteps: number;
                paused: boolean;
                seenAt: string | null;
            }[];
            schedulers: {
                instance: string;
                /** Format: date-time */
                seenAt: string;
            }[];
            supervisors: {
                instance: string;
                /** Format: date-time */
                seenAt: string;
            }[];
        };
        Failures: {
            groups: {
                fingerprint: string;
                workflow: string;
                step: string | null;
                faultCode: string;
                /** @description Numbers, ids and quoted values are replaced by #. */
                message: string;
                count: number;
                /** @description Tasks that wait for an operator now, at most 1,000. */
                open: number;
                /** Format: date-time */
                firstAt: string;
                /** Format: date-time */
                lastAt: string;
                sample: string[];
                /** @description Of a search for these tasks. */
                filter: {
                    fingerprint: string;
                    createdAt?: {
                        $gte?: string;
                        $lt?: string;
                    };
                };
            }[];
            truncated: boolean;
        };
        BulkOperation: {
            id: string;
            /** @enum {unknown} */
            action: "resubmit" | "undo" | "cancel" | "pause" | "resume" | "resolve" | "retryNow";
            step: string | null;
            filter: Record<string, never>;
            actor: string;
            reason: string;
            /** Format: date-time */
            at: string;
            /**
             * @description `canary`: the first tasks are awaited. `running`: further ones are applied. `verifying`: all are applied, and what became of some is awaited. `done`: all have an outcome and none failed again. `failed`: some did. `stopped`: by a person, or by its canary.
             * @enum {unknown}
             */
            state: "canary" | "running" | "verifying" | "done" | "stopped" | "failed";
            matched: number;
            waiting: number;
            /** @description Applied or refused. */
            done: number;
            refused: number;
            verified: {
                succeeded: number;
                failedAgain: number;
                running: number;
            };
            canary: number;
            /** @description Tasks a second. */
            rate: number;
            stoppedBy: string | null;
            stopReason: string | null;
            endedAt: string | null;
        };
        BulkOperationPage: {
            items: components["schemas"]["BulkOperation"][];
            next: string | null;
        };
        BulkItem: {
            taskId: string;
            /** @enum {unknown} */
            outcome: "waiting" | "applied" | "refused" | "succeeded" | "failedAgain";
            code: string | null;
            step: string | null;
            /** Format: date-time */
            at: string;
        };
        BulkItemPage: {
            items: components["schemas"]["BulkItem"][];
            next: string | null;
        };
        BulkForecast: {
            matches: number;
            allowed: number;
            refused: {
                reason: string;
                count: number;
            }[];
            sample: string[];
        };
        DeadLetter: {
            id: string;
            /** @description Where it was found. */
            queue: string;
            reason: string;
            detail: string | null;
            messageId: string | null;
            type: string | null;
            sender: string | null;
            /** @description Bytes of the message as it came. */
            size: number;
            /** Format: date-time */
            at: string;
            body: string | null;
            replayable: boolean;
            whyNot: string | null;
        };
        DeadLetterPage: {
            items: components["schemas"]["DeadLetter"][];
            next: string | null;
        };
        DeadLetterActions: {
            items: {
                id: string;
                queue: string;
                messageId: string | null;
                type: string | null;
                sender: string | null;
                /** @enum {unknown} */
                action: "replay" | "discard";
                actor: string;
                reason: string;
                /** Format: date-time */
                at: string;
            }[];
        };
        System: {
            version: string;
            /** Format: date-time */
            at: string;
            schedulers: {
                instance: string;
                version: string;
                slots: number | null;
                /** Format: date-time */
                seenAt: string;
            }[];
            supervisors: {
                instance: string;
                version: string;
                slots: number | null;
                /** Format: date-time */
                seenAt: string;
            }[];
            submissions: {
                instance: string;
                version: string;
                slots: number | null;
                /** Format: date-time */
                seenAt: string;
            }[];
            queues: {
                name: string;
                ready: number | null;
                unacked: number | null;
                consumers: number | null;
                state: string | null;
            }[] | null;
            queuesNote: string | null;
            outbox: {
                /** @description Counted no further than to 10,000. */
                waiting: number;
                oldestMs: number | null;
            };
            partitions: {
                name: string;
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                until: string;
                /** @description Of all tables of the month, as Postgres estimates it. */
                rows: number;
                /** @description With indexes. */
                bytes: number;
            }[];
            configuration: {
                [key: string]: unknown;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Yes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Yes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConsoleSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSettings"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHistory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its history, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTaskOfCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTask"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHistoryOfCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its history, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getResult: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the task, such as 30s: at most a minute. */
                wait?: string;
            };
            header?: never;
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended, as `state` says. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResult"];
                };
            };
            /** @description It has not ended yet: ask again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResult"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getResultOfCollection: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the task, such as 30s: at most a minute. */
                wait?: string;
            };
            header?: never;
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended, as `state` says. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResult"];
                };
            };
            /** @description It has not ended yet: ask again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResult"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followTask: {
        parameters: {
            query?: {
                lastEventId?: string;
            };
            header?: never;
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followTaskOfCollection: {
        parameters: {
            query?: {
                lastEventId?: string;
            };
            header?: never;
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /** @description The name of a workflow with its version, or without: all versions. */
                workflow?: string;
                /** @description open: every state in which a task has not ended; error: it waits for an operator. */
                state?: "open" | "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
                /** @description Which steps go first. */
                priority?: "urgent" | "normal" | "batch";
                /** @description The business key. */
                key?: string;
                /** @description Why the task failed. */
                faultCode?: string;
                /** @description What the notifications of the task carry. */
                correlationId?: string;
                /** @description Of a group of failures: 16 hexadecimal digits. */
                fingerprint?: string;
                /** @description An id, a key, an idempotency key, a correlation id or a fault code. */
                text?: string;
                /** @description Submitted then or later: an instant as in ISO 8601. */
                createdFrom?: string;
                /** @description Submitted before then: an instant as in ISO 8601. */
                createdBefore?: string;
                /** @description Tasks of a page: from 1 to 500; 20 unless it is set. */
                limit?: string;
                /** @description The `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    submitTask: {
        parameters: {
            query?: {
                /** @description Takes the task although one of its Agents has never announced itself. */
                allowUnknownAgents?: "true" | "false" | "";
            };
            header?: {
                /** @description The same key stands for the same task, for 24 hours. */
                "idempotency-key"?: string;
                /** @description W3C Trace Context: the task goes on with the caller's trace. */
                traceparent?: string;
                tracestate?: string;
                /** @description wait=10: 200 with the result, if there is one in so many seconds. */
                prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description With its version, or without: then the newest that is not retired. */
                    workflow: string;
                    /** @description The input of the workflow. */
                    input: unknown;
                    /**
                     * @description Which steps are claimed first; normal unless said otherwise.
                     * @enum {unknown}
                     */
                    priority?: "urgent" | "normal" | "batch";
                    fairness?: {
                        /** @description By what the task shares its band. */
                        key?: string;
                        /** @description How many shares of its band the key has. */
                        weight?: number;
                    };
                    /** @description The business's own name: at most one open task of the workflow has it. */
                    key?: string;
                    /** @description By what the task is found. */
                    labels?: {
                        [key: string]: string;
                    };
                    /** @description When the first steps become due: an instant with its zone. */
                    notBefore?: string;
                    /** @description Your own queue for its status. */
                    replyTo?: string;
                    /** @description What the notifications of the task carry. */
                    correlationId?: string;
                };
            };
        };
        responses: {
            /** @description It has ended: with `Prefer: wait`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResult"];
                };
            };
            /** @description It is durable. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTasksOfCollection: {
        parameters: {
            query?: {
                /** @description The name of a workflow with its version, or without: all versions. */
                workflow?: string;
                /** @description open: every state in which a task has not ended; error: it waits for an operator. */
                state?: "open" | "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
                /** @description Which steps go first. */
                priority?: "urgent" | "normal" | "batch";
                /** @description The business key. */
                key?: string;
                /** @description Why the task failed. */
                faultCode?: string;
                /** @description What the notifications of the task carry. */
                correlationId?: string;
                /** @description Of a group of failures: 16 hexadecimal digits. */
                fingerprint?: string;
                /** @description An id, a key, an idempotency key, a correlation id or a fault code. */
                text?: string;
                /** @description Submitted then or later: an instant as in ISO 8601. */
                createdFrom?: string;
                /** @description Submitted before then: an instant as in ISO 8601. */
                createdBefore?: string;
                /** @description Tasks of a page: from 1 to 500; 20 unless it is set. */
                limit?: string;
                /** @description The `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    submitTaskOfCollection: {
        parameters: {
            query?: {
                /** @description Takes the task although one of its Agents has never announced itself. */
                allowUnknownAgents?: "true" | "false" | "";
            };
            header?: {
                /** @description The same key stands for the same task, for 24 hours. */
                "idempotency-key"?: string;
                /** @description W3C Trace Context: the task goes on with the caller's trace. */
                traceparent?: string;
                tracestate?: string;
                /** @description wait=10: 200 with the result, if there is one in so many seconds. */
                prefer?: string;
                "task-key"?: string;
                "task-labels"?: string;
                "not-before"?: string;
                "task-priority"?: string;
                "fairness-key"?: string;
                "fairness-weight"?: string;
                "reply-to"?: string;
                "correlation-id"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description It has ended: with `Prefer: wait`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResult"];
                };
            };
            /** @description It is durable. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryStep: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                /** @description The id of the task. */
                id: string;
                /** @description The name of the step. */
                step: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resubmitStep: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                    /** @description Its name; not needed if only one step failed. */
                    step?: string;
                    /** @description Another input of the step; without it the same again. */
                    input?: unknown;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolveStep: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                    /** @description Its name; not needed if only one step failed. */
                    step?: string;
                    /** @description What the step returned: later steps use it. */
                    output?: unknown;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoTaskOfCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTask"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelTaskOfCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTask"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseTaskOfCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTask"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeTaskOfCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTask"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryStepOfCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
                /** @description The name of the step. */
                step: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTask"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resubmitStepOfCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                    /** @description Its name; not needed if only one step failed. */
                    step?: string;
                    /** @description Another input of the step; without it the same again. */
                    input?: unknown;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTask"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolveStepOfCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task, instead of its version in the body. */
                "if-match"?: string;
            };
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    /** @description The version of the task that was seen: another one is refused. Or as If-Match. */
                    version?: number;
                    /** @description Its name; not needed if only one step failed. */
                    step?: string;
                    /** @description What the step returned: later steps use it. */
                    output?: unknown;
                };
            };
        };
        responses: {
            /** @description The task as it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTask"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPauses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 200. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pauses"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRemotes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Remotes"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openBreaker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    closeBreaker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attempts"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAttemptsOfCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attempts"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Why it is where it is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainTaskOfCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                /** @description The id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Why it is where it is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    examine: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Examination"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countTasks: {
        parameters: {
            query?: {
                /** @description The name of a workflow with its version, or without: all versions. */
                workflow?: string;
                /** @description open: every state in which a task has not ended; error: it waits for an operator. */
                state?: "open" | "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
                /** @description Which steps go first. */
                priority?: "urgent" | "normal" | "batch";
                /** @description The business key. */
                key?: string;
                /** @description Why the task failed. */
                faultCode?: string;
                /** @description What the notifications of the task carry. */
                correlationId?: string;
                /** @description Of a group of failures: 16 hexadecimal digits. */
                fingerprint?: string;
                /** @description An id, a key, an idempotency key, a correlation id or a fault code. */
                text?: string;
                /** @description Submitted then or later: an instant as in ISO 8601. */
                createdFrom?: string;
                /** @description Submitted before then: an instant as in ISO 8601. */
                createdBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskCount"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    filter?: {
                        workflow?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        state?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        priority?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        key?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        faultCode?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        correlationId?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        fingerprint?: string;
                        text?: string;
                        createdAt?: {
                            $gte?: string;
                            $lt?: string;
                        };
                    } & {
                        [key: string]: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                    };
                    sort?: {
                        /** @enum {string} */
                        field: "createdAt";
                        /** @enum {string} */
                        order: "desc";
                    }[];
                    page?: {
                        limit?: number;
                        after?: string;
                    };
                };
            };
        };
        responses: {
            /** @description A page of tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countTasksOfCollection: {
        parameters: {
            query?: {
                /** @description The name of a workflow with its version, or without: all versions. */
                workflow?: string;
                /** @description open: every state in which a task has not ended; error: it waits for an operator. */
                state?: "open" | "pending" | "processing" | "error" | "compensating" | "processed" | "compensated";
                /** @description Which steps go first. */
                priority?: "urgent" | "normal" | "batch";
                /** @description The business key. */
                key?: string;
                /** @description Why the task failed. */
                faultCode?: string;
                /** @description What the notifications of the task carry. */
                correlationId?: string;
                /** @description Of a group of failures: 16 hexadecimal digits. */
                fingerprint?: string;
                /** @description An id, a key, an idempotency key, a correlation id or a fault code. */
                text?: string;
                /** @description Submitted then or later: an instant as in ISO 8601. */
                createdFrom?: string;
                /** @description Submitted before then: an instant as in ISO 8601. */
                createdBefore?: string;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskCount"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchTasksOfCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    filter?: {
                        workflow?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        state?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        priority?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        key?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        faultCode?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        correlationId?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        fingerprint?: string;
                        text?: string;
                        createdAt?: {
                            $gte?: string;
                            $lt?: string;
                        };
                    } & {
                        [key: string]: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                    };
                    sort?: {
                        /** @enum {string} */
                        field: "createdAt";
                        /** @enum {string} */
                        order: "desc";
                    }[];
                    page?: {
                        limit?: number;
                        after?: string;
                    };
                };
            };
        };
        responses: {
            /** @description A page of tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 500. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agents"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As of `at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /** @description When it begins: an instant as in ISO 8601; a day ago unless it is set. */
                from?: string;
                /** @description When it ends: an instant as in ISO 8601; now unless it is set. */
                until?: string;
                /** @description The name of a workflow with its version. */
                workflow?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every bucket of the range. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statistics"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                /** @description The name of a workflow with its version. */
                workflow?: string;
                /** @description Submitted then or later: an instant as in ISO 8601. */
                createdFrom?: string;
                /** @description Submitted before then: an instant as in ISO 8601. */
                createdBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 100. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failures"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workflow. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredWorkflow"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    storeWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description It is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowStored"];
                };
            };
            /** @description It is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowStored"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkflows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflows"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retireWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reinstateWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBulkOperations: {
        parameters: {
            query?: {
                /** @description How many, at most 100; 20 unless it is said. */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOperationPage"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createBulkOperation: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                    filter: {
                        workflow?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        state?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        priority?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        key?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        faultCode?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        correlationId?: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                        fingerprint?: string;
                        text?: string;
                        createdAt?: {
                            $gte?: string;
                            $lt?: string;
                        };
                    } & {
                        [key: string]: string | {
                            $eq?: string;
                            $in?: string[];
                            $like?: string;
                            $exists?: boolean;
                        };
                    };
                    /** @enum {unknown} */
                    action: "resubmit" | "undo" | "cancel" | "pause" | "resume" | "resolve" | "retryNow";
                    /** @description Which step of each task, if several can be meant. */
                    step?: string;
                    /** @description Of resolve: what the step of each task returned. */
                    output?: unknown;
                    /** @description Only says what would be done. */
                    dryRun?: boolean;
                    /** @description So many tasks first; the others only if all of these succeed. */
                    canary?: number;
                    /** @description Tasks a second; 10 unless it is said. */
                    rate?: number;
                };
            };
        };
        responses: {
            /** @description What it would do: with `dryRun`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkForecast"];
                };
            };
            /** @description It is durable, and worked off. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOperation"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBulkItems: {
        parameters: {
            query?: {
                /** @description Only tasks of which this became. */
                outcome?: "waiting" | "applied" | "refused" | "succeeded" | "failedAgain";
                /** @description How many, at most 100; 20 unless it is said. */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkItemPage"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stopBulkOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description As it stands then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOperation"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBulkOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOperation"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followChanges: {
        parameters: {
            query?: {
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description Where they were found. */
                queue?: string;
                /** @description Letters of a page: from 1 to 100; 20 unless it is set. */
                limit?: string;
                /** @description The `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterPage"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeadLetterActions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 200. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterActions"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the dead letter. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discardDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the dead letter. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who acts: kept in the history. */
                    actor: string;
                    /** @description Why: kept in the history. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As of `at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["System"];
                };
            };
            /** @description The request is refused: `code` says why, and stays as it is. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It could not be done now: send the same request again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
