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
         * @description A condition is a text, or any of `$eq`, `$in`, `$like` (with `*` for any characters) and `$exists`. Fields: workflow, state (`open` for all in which a task has not ended), priority, key, faultCode, correlationId, createdAt (`$gte`, `$lt`) and `label.<name>`. A page looks at 5000 tasks at most: it may have few items, and is the last only if `next` is null.
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
         * @description A condition is a text, or any of `$eq`, `$in`, `$like` (with `*` for any characters) and `$exists`. Fields: workflow, state (`open` for all in which a task has not ended), priority, key, faultCode, correlationId, createdAt (`$gte`, `$lt`) and `label.<name>`. A page looks at 5000 tasks at most: it may have few items, and is the last only if `next` is null.
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
    "/v1/workflows/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operators: a workflow and its definition. */
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
        /** Operators: the stored workflows. */
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
            kind: string;
            agent: string;
            /** @enum {unknown} */
            processState: "waiting" | "pending" | "processing" | "processed" | "error" | "skipped" | "cancelled";
            attempt: number;
            failureCount: number;
            requeueCount: number;
            lockedBy: string | null;
            completeBy: string | null;
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
    getTask: {
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
                wait?: string;
            };
            header?: never;
            path: {
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
                wait?: string;
            };
            header?: never;
            path: {
                collection: string;
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
    listTasks: {
        parameters: {
            query?: {
                workflow?: string;
                state?: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated" | "open";
                priority?: "urgent" | "normal" | "batch";
                key?: string;
                faultCode?: string;
                correlationId?: string;
                createdFrom?: string;
                createdBefore?: string;
                limit?: string;
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
                allowUnknownAgents?: "true" | "false" | "";
            };
            header?: {
                /** @description The same key stands for the same task, for 24 hours. */
                "idempotency-key"?: string;
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
                    input: unknown;
                    /**
                     * @description Which steps are claimed first; normal unless said otherwise.
                     * @enum {unknown}
                     */
                    priority?: "urgent" | "normal" | "batch";
                    fairness?: {
                        key?: string;
                        weight?: number;
                    };
                    /** @description The business's own name: at most one open task of the workflow has it. */
                    key?: string;
                    labels?: {
                        [key: string]: string;
                    };
                    /** @description When the first steps become due: an instant with its zone. */
                    notBefore?: string;
                    /** @description Your own queue for its status. */
                    replyTo?: string;
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
                workflow?: string;
                state?: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated" | "open";
                priority?: "urgent" | "normal" | "batch";
                key?: string;
                faultCode?: string;
                correlationId?: string;
                createdFrom?: string;
                createdBefore?: string;
                limit?: string;
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
                allowUnknownAgents?: "true" | "false" | "";
            };
            header?: {
                /** @description The same key stands for the same task, for 24 hours. */
                "idempotency-key"?: string;
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
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                id: string;
                step: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
                    version?: number;
                    step?: string;
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
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
                    version?: number;
                    step?: string;
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
                "if-match"?: string;
            };
            path: {
                collection: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                collection: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                collection: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                collection: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                collection: string;
                id: string;
                step: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
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
                "if-match"?: string;
            };
            path: {
                collection: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
                    version?: number;
                    step?: string;
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
                "if-match"?: string;
            };
            path: {
                collection: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
                    reason: string;
                    version?: number;
                    step?: string;
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
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
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
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
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
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
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
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
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
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
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
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
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
    countTasks: {
        parameters: {
            query?: {
                workflow?: string;
                state?: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated" | "open";
                priority?: "urgent" | "normal" | "batch";
                key?: string;
                faultCode?: string;
                correlationId?: string;
                createdFrom?: string;
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
                workflow?: string;
                state?: "pending" | "processing" | "error" | "compensating" | "processed" | "compensated" | "open";
                priority?: "urgent" | "normal" | "batch";
                key?: string;
                faultCode?: string;
                correlationId?: string;
                createdFrom?: string;
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
    getWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
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
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actor: string;
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
}
