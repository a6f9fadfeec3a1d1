// Written by `npm run reference`, from docs/reference/openapi.json.

export const operations = {
  "getLive": {
    "method": "GET",
    "path": "/health/live",
    "summary": "Whether the process runs.",
    "description": "",
    "needsToken": false,
    "hasPlainBody": false,
    "fields": {}
  },
  "getReady": {
    "method": "GET",
    "path": "/health/ready",
    "summary": "Whether the process can do its work. 503 while it cannot; the body says why.",
    "description": "",
    "needsToken": false,
    "hasPlainBody": false,
    "fields": {}
  },
  "getConsoleSettings": {
    "method": "GET",
    "path": "/v1/console-settings",
    "summary": "What the console must know of this installation.",
    "description": "",
    "needsToken": false,
    "hasPlainBody": false,
    "fields": {}
  },
  "getTask": {
    "method": "GET",
    "path": "/v1/tasks/{id}",
    "summary": "The task, its state, its result and its steps.",
    "description": "Its ETag is its version: operators send it back as If-Match.",
    "needsToken": false,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      }
    }
  },
  "getHistory": {
    "method": "GET",
    "path": "/v1/tasks/{id}/history",
    "summary": "Every move of the task and its steps, with actor, time and reason.",
    "description": "",
    "needsToken": false,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      }
    }
  },
  "getResult": {
    "method": "GET",
    "path": "/v1/tasks/{id}/result",
    "summary": "The result of the task: waits for it with `wait=30s`.",
    "description": "",
    "needsToken": false,
    "hasPlainBody": false,
    "fields": {
      "wait": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 8,
          "pattern": "^[0-9]{1,5}(ms|s|m)?$",
          "description": "How long to wait for the end of the task, such as 30s: at most a minute."
        }
      },
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      }
    }
  },
  "followTask": {
    "method": "GET",
    "path": "/v1/tasks/{id}/events",
    "summary": "Follows the task: its moves as they come, until it has ended.",
    "description": "Server-Sent Events. `moved`: an entry of its history, with its id as the id of the event. `task`: the task as it stands since. `end`: it has ended, or was deleted (`state` null); then the stream ends. Without Last-Event-ID it begins with the first move. After a lost connection, moves of the last five seconds before Last-Event-ID may come once more.",
    "needsToken": false,
    "hasPlainBody": false,
    "fields": {
      "lastEventId": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 200
        }
      },
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      }
    }
  },
  "submitTask": {
    "method": "POST",
    "path": "/v1/tasks",
    "summary": "Submits a task of any stored workflow. 202 when it is durable.",
    "description": "",
    "needsToken": false,
    "hasPlainBody": false,
    "fields": {
      "allowUnknownAgents": {
        "in": "query",
        "required": false,
        "schema": {
          "anyOf": [
            {
              "type": "string",
              "enum": [
                "true"
              ]
            },
            {
              "type": "string",
              "enum": [
                "false"
              ]
            },
            {
              "type": "string",
              "enum": [
                ""
              ]
            }
          ],
          "description": "Takes the task although one of its Agents has never announced itself."
        }
      },
      "idempotency-key": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "The same key stands for the same task, for 24 hours."
        }
      },
      "traceparent": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "W3C Trace Context: the task goes on with the caller's trace."
        }
      },
      "tracestate": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string"
        }
      },
      "prefer": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "wait=10: 200 with the result, if there is one in so many seconds."
        }
      },
      "workflow": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "With its version, or without: then the newest that is not retired."
        }
      },
      "input": {
        "in": "body",
        "required": true,
        "schema": {
          "$comment": "A payload: see payloadFaults",
          "description": "The input of the workflow."
        }
      },
      "priority": {
        "in": "body",
        "required": false,
        "schema": {
          "enum": [
            "urgent",
            "normal",
            "batch"
          ],
          "description": "Which steps are claimed first; normal unless said otherwise."
        }
      },
      "fairness": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "object",
          "properties": {
            "key": {
              "type": "string",
              "minLength": 1,
              "maxLength": 100,
              "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$",
              "description": "By what the task shares its band."
            },
            "weight": {
              "type": "integer",
              "minimum": 1,
              "maximum": 1000,
              "description": "How many shares of its band the key has."
            }
          },
          "additionalProperties": false
        }
      },
      "key": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "The business's own name: at most one open task of the workflow has it."
        }
      },
      "labels": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "object",
          "additionalProperties": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$"
          },
          "maxProperties": 16,
          "description": "By what the task is found."
        }
      },
      "notBefore": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "When the first steps become due: an instant with its zone."
        }
      },
      "replyTo": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 255,
          "description": "Your own queue for its status."
        }
      },
      "correlationId": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 255,
          "description": "What the notifications of the task carry."
        }
      }
    }
  },
  "listTasks": {
    "method": "GET",
    "path": "/v1/tasks",
    "summary": "tasks that match, newest first, a page at a time.",
    "description": "A label `x` is asked for as `label.x`.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "workflow": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "The name of a workflow with its version, or without: all versions."
        }
      },
      "state": {
        "in": "query",
        "required": false,
        "schema": {
          "enum": [
            "open",
            "pending",
            "processing",
            "error",
            "compensating",
            "processed",
            "compensated"
          ],
          "description": "open: every state in which a task has not ended; error: it waits for an operator."
        }
      },
      "priority": {
        "in": "query",
        "required": false,
        "schema": {
          "enum": [
            "urgent",
            "normal",
            "batch"
          ],
          "description": "Which steps go first."
        }
      },
      "key": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "The business key."
        }
      },
      "faultCode": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Why the task failed."
        }
      },
      "correlationId": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "What the notifications of the task carry."
        }
      },
      "fingerprint": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 16,
          "pattern": "^[0-9a-f]{16}$",
          "description": "Of a group of failures: 16 hexadecimal digits."
        }
      },
      "text": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "An id, a key, an idempotency key, a correlation id or a fault code."
        }
      },
      "createdFrom": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "Submitted then or later: an instant as in ISO 8601."
        }
      },
      "createdBefore": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "Submitted before then: an instant as in ISO 8601."
        }
      },
      "limit": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 3,
          "pattern": "^([1-9][0-9]?|[1-4][0-9]{2}|500)$",
          "description": "Tasks of a page: from 1 to 500; 20 unless it is set."
        }
      },
      "cursor": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 100,
          "description": "The `next` of the page before."
        }
      }
    }
  },
  "undoTask": {
    "method": "POST",
    "path": "/v1/tasks/{id}/undo",
    "summary": "undoes the task.",
    "description": "Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      },
      "if-match": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "The ETag of the task, instead of its version in the body."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      },
      "version": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2147483647,
          "description": "The version of the task that was seen: another one is refused. Or as If-Match."
        }
      }
    }
  },
  "cancelTask": {
    "method": "POST",
    "path": "/v1/tasks/{id}/cancel",
    "summary": "undoes the task, with another reason in its history.",
    "description": "Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      },
      "if-match": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "The ETag of the task, instead of its version in the body."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      },
      "version": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2147483647,
          "description": "The version of the task that was seen: another one is refused. Or as If-Match."
        }
      }
    }
  },
  "pauseTask": {
    "method": "POST",
    "path": "/v1/tasks/{id}/pause",
    "summary": "begins no further step until the task is resumed.",
    "description": "Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      },
      "if-match": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "The ETag of the task, instead of its version in the body."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      },
      "version": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2147483647,
          "description": "The version of the task that was seen: another one is refused. Or as If-Match."
        }
      }
    }
  },
  "resumeTask": {
    "method": "POST",
    "path": "/v1/tasks/{id}/resume",
    "summary": "ends a pause.",
    "description": "Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      },
      "if-match": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "The ETag of the task, instead of its version in the body."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      },
      "version": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2147483647,
          "description": "The version of the task that was seen: another one is refused. Or as If-Match."
        }
      }
    }
  },
  "retryStep": {
    "method": "POST",
    "path": "/v1/tasks/{id}/steps/{step}/retry",
    "summary": "ends the delay of a step.",
    "description": "Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      },
      "step": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "The name of the step."
        }
      },
      "if-match": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "The ETag of the task, instead of its version in the body."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      },
      "version": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2147483647,
          "description": "The version of the task that was seen: another one is refused. Or as If-Match."
        }
      }
    }
  },
  "resubmitStep": {
    "method": "POST",
    "path": "/v1/tasks/{id}/resubmit",
    "summary": "retries a step that failed for good.",
    "description": "Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      },
      "if-match": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "The ETag of the task, instead of its version in the body."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      },
      "version": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2147483647,
          "description": "The version of the task that was seen: another one is refused. Or as If-Match."
        }
      },
      "step": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name; not needed if only one step failed."
        }
      },
      "input": {
        "in": "body",
        "required": false,
        "schema": {
          "$comment": "A payload: see payloadFaults",
          "description": "Another input of the step; without it the same again."
        }
      }
    }
  },
  "resolveStep": {
    "method": "POST",
    "path": "/v1/tasks/{id}/resolve",
    "summary": "records what a person did instead of a failed step.",
    "description": "Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      },
      "if-match": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string",
          "description": "The ETag of the task, instead of its version in the body."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      },
      "version": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2147483647,
          "description": "The version of the task that was seen: another one is refused. Or as If-Match."
        }
      },
      "step": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name; not needed if only one step failed."
        }
      },
      "output": {
        "in": "body",
        "required": false,
        "schema": {
          "$comment": "A payload: see payloadFaults",
          "description": "What the step returned: later steps use it."
        }
      }
    }
  },
  "pauseAgent": {
    "method": "POST",
    "path": "/v1/agents/{name}/pause",
    "summary": "claims no further step of this Agent.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "resumeAgent": {
    "method": "POST",
    "path": "/v1/agents/{name}/resume",
    "summary": "ends the pause of an Agent.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "pauseWorkflow": {
    "method": "POST",
    "path": "/v1/workflows/{name}/pause",
    "summary": "claims no further step of this workflow's tasks.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "resumeWorkflow": {
    "method": "POST",
    "path": "/v1/workflows/{name}/resume",
    "summary": "ends the pause of a workflow.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "listPauses": {
    "method": "GET",
    "path": "/v1/pauses",
    "summary": "what is paused, and what was, latest first.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  },
  "listRemotes": {
    "method": "GET",
    "path": "/v1/remotes",
    "summary": "the remote services, their circuit breakers, and the due steps that these hold back.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  },
  "openBreaker": {
    "method": "POST",
    "path": "/v1/remotes/{name}/open",
    "summary": "opens the breaker of a remote service, until an operator closes it.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "closeBreaker": {
    "method": "POST",
    "path": "/v1/remotes/{name}/close",
    "summary": "closes the breaker of a remote service; its steps are released in growing numbers.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "listAttempts": {
    "method": "GET",
    "path": "/v1/tasks/{id}/attempts",
    "summary": "the attempts of the task's steps, the waits between them, and replies that came too late.",
    "description": "Newest first, at most 1,000 of each. `input` and `output` are those of the latest attempt of each step.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      }
    }
  },
  "explainTask": {
    "method": "GET",
    "path": "/v1/tasks/{id}/why",
    "summary": "what the task waits for, or how it ended, as `holdfast why` says it.",
    "description": "`turnOf` says who is ahead of a step that is due; null: it waits for something else.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200,
          "description": "The id of the task."
        }
      }
    }
  },
  "examine": {
    "method": "GET",
    "path": "/v1/doctor",
    "summary": "how the servers are set up, and who serves whom, as `holdfast doctor` says it.",
    "description": "One look at a time; its findings are kept for five seconds.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  },
  "verify": {
    "method": "GET",
    "path": "/v1/verify",
    "summary": "what must never be, among the tasks of the last day, as `holdfast verify` says it.",
    "description": "One look at a time, for ten seconds at most; what it found is kept for five. `complete` is false if there may be more.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  },
  "countTasks": {
    "method": "GET",
    "path": "/v1/tasks/count",
    "summary": "how many match.",
    "description": "Looks at half a million tasks at most. A label `x` is asked for as `label.x`.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "workflow": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "The name of a workflow with its version, or without: all versions."
        }
      },
      "state": {
        "in": "query",
        "required": false,
        "schema": {
          "enum": [
            "open",
            "pending",
            "processing",
            "error",
            "compensating",
            "processed",
            "compensated"
          ],
          "description": "open: every state in which a task has not ended; error: it waits for an operator."
        }
      },
      "priority": {
        "in": "query",
        "required": false,
        "schema": {
          "enum": [
            "urgent",
            "normal",
            "batch"
          ],
          "description": "Which steps go first."
        }
      },
      "key": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "The business key."
        }
      },
      "faultCode": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Why the task failed."
        }
      },
      "correlationId": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "What the notifications of the task carry."
        }
      },
      "fingerprint": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 16,
          "pattern": "^[0-9a-f]{16}$",
          "description": "Of a group of failures: 16 hexadecimal digits."
        }
      },
      "text": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "An id, a key, an idempotency key, a correlation id or a fault code."
        }
      },
      "createdFrom": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "Submitted then or later: an instant as in ISO 8601."
        }
      },
      "createdBefore": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "Submitted before then: an instant as in ISO 8601."
        }
      }
    }
  },
  "searchTasks": {
    "method": "POST",
    "path": "/v1/tasks/search",
    "summary": "what matches all conditions, newest first, a page at a time.",
    "description": "A condition is a text, or any of `$eq`, `$in`, `$like` (with `*` for any characters) and `$exists`. Fields: workflow, state (`open` for all in which a task has not ended), priority, key, faultCode, correlationId, createdAt (`$gte`, `$lt`), `label.<name>`, fingerprint (of a group of failures) and text: an id, a key, an idempotency key, a correlation id or a fault code; of an id, a correlation id and a code the beginning will do. A page looks at 5000 tasks at most: it may have few items, and is the last only if `next` is null.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "filter": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "object",
          "properties": {
            "workflow": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "state": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "priority": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "key": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "faultCode": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "correlationId": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "fingerprint": {
              "type": "string",
              "maxLength": 16,
              "pattern": "^[0-9a-f]{16}$"
            },
            "text": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            },
            "createdAt": {
              "type": "object",
              "properties": {
                "$gte": {
                  "type": "string",
                  "maxLength": 40
                },
                "$lt": {
                  "type": "string",
                  "maxLength": 40
                }
              },
              "additionalProperties": false
            }
          },
          "additionalProperties": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 255
              },
              {
                "type": "object",
                "properties": {
                  "$eq": {
                    "type": "string",
                    "maxLength": 255
                  },
                  "$in": {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "minItems": 1,
                    "maxItems": 100
                  },
                  "$like": {
                    "type": "string",
                    "maxLength": 255
                  },
                  "$exists": {
                    "type": "boolean"
                  }
                },
                "additionalProperties": false,
                "minProperties": 1
              }
            ]
          },
          "maxProperties": 20
        }
      },
      "sort": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "field",
              "order"
            ],
            "properties": {
              "field": {
                "type": "string",
                "enum": [
                  "createdAt"
                ]
              },
              "order": {
                "type": "string",
                "enum": [
                  "desc"
                ]
              }
            },
            "additionalProperties": false
          },
          "maxItems": 1
        }
      },
      "page": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "object",
          "properties": {
            "limit": {
              "type": "integer",
              "minimum": 1,
              "maximum": 500
            },
            "after": {
              "type": "string",
              "maxLength": 100
            }
          },
          "additionalProperties": false
        }
      }
    }
  },
  "listAgents": {
    "method": "GET",
    "path": "/v1/agents",
    "summary": "the Agents, with their instances, slots, breakers and pauses, and the steps in flight and due.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  },
  "getOverview": {
    "method": "GET",
    "path": "/v1/overview",
    "summary": "how the system is, and what needs an operator.",
    "description": "At most a second old. Open tasks are counted now, tasks that ended over the last 24 hours, Agents over the last 15 minutes.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  },
  "getStatistics": {
    "method": "GET",
    "path": "/v1/statistics",
    "summary": "what happened over time, of everything or of one workflow.",
    "description": "At most 400 buckets of equal width, whatever the range: the last day, unless it is said. A quantile is at most 10 % wrong. The Supervisors count: `rolledUpTo` says until when, and `behind` how many entries of the history are not counted yet.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "from": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "When it begins: an instant as in ISO 8601; a day ago unless it is set."
        }
      },
      "until": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "When it ends: an instant as in ISO 8601; now unless it is set."
        }
      },
      "workflow": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "The name of a workflow with its version."
        }
      }
    }
  },
  "listFailures": {
    "method": "GET",
    "path": "/v1/failures",
    "summary": "failures that are alike, in groups, the latest first.",
    "description": "Alike are failures of one workflow, step and fault code whose messages differ in numbers, ids and quoted values alone. `count` is how often they happened; with a range of time, how many tasks of that range failed so, counted no further than to 1,000.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "workflow": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "The name of a workflow with its version."
        }
      },
      "createdFrom": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "Submitted then or later: an instant as in ISO 8601."
        }
      },
      "createdBefore": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 40,
          "description": "Submitted before then: an instant as in ISO 8601."
        }
      }
    }
  },
  "storeWorkflow": {
    "method": "PUT",
    "path": "/v1/workflows/{name}",
    "summary": "stores a workflow. 201 when it is new, 200 when it was there.",
    "description": "`warnings` names Agents that have never sent a heartbeat, and operations that no running instance announces.",
    "needsToken": true,
    "hasPlainBody": true,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      }
    }
  },
  "getWorkflow": {
    "method": "GET",
    "path": "/v1/workflows/{name}",
    "summary": "a workflow and its definition; without a version the newest that takes tasks.",
    "description": "The definition has its steps with their policies and undos, and the JSON Schemas of its input and of what its Agents take and return.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      }
    }
  },
  "listWorkflows": {
    "method": "GET",
    "path": "/v1/workflows",
    "summary": "the stored workflows, with their collections, and which are retired.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  },
  "retireWorkflow": {
    "method": "POST",
    "path": "/v1/workflows/{name}/retire",
    "summary": "has the workflow take no new tasks.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "reinstateWorkflow": {
    "method": "POST",
    "path": "/v1/workflows/{name}/reinstate",
    "summary": "has a retired workflow take tasks again.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "name": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Its name."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "createBulkOperation": {
    "method": "POST",
    "path": "/v1/bulk-operations",
    "summary": "creates a bulk operation: one action on all tasks that match now.",
    "description": "At most 100,000 tasks. The filter is that of a search, with at least one condition. `canary`: so many tasks first, and the others only if these succeed. `rate`: tasks a second, 10 unless said otherwise. With `dryRun` nothing is created. With an Idempotency-Key the same request stands for the same operation.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "idempotency-key": {
        "in": "header",
        "required": false,
        "schema": {
          "type": "string"
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      },
      "filter": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "object",
          "properties": {
            "workflow": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "state": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "priority": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "key": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "faultCode": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "correlationId": {
              "anyOf": [
                {
                  "type": "string",
                  "maxLength": 255
                },
                {
                  "type": "object",
                  "properties": {
                    "$eq": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 255
                      },
                      "minItems": 1,
                      "maxItems": 100
                    },
                    "$like": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "$exists": {
                      "type": "boolean"
                    }
                  },
                  "additionalProperties": false,
                  "minProperties": 1
                }
              ]
            },
            "fingerprint": {
              "type": "string",
              "maxLength": 16,
              "pattern": "^[0-9a-f]{16}$"
            },
            "text": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            },
            "createdAt": {
              "type": "object",
              "properties": {
                "$gte": {
                  "type": "string",
                  "maxLength": 40
                },
                "$lt": {
                  "type": "string",
                  "maxLength": 40
                }
              },
              "additionalProperties": false
            }
          },
          "additionalProperties": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 255
              },
              {
                "type": "object",
                "properties": {
                  "$eq": {
                    "type": "string",
                    "maxLength": 255
                  },
                  "$in": {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "minItems": 1,
                    "maxItems": 100
                  },
                  "$like": {
                    "type": "string",
                    "maxLength": 255
                  },
                  "$exists": {
                    "type": "boolean"
                  }
                },
                "additionalProperties": false,
                "minProperties": 1
              }
            ]
          },
          "maxProperties": 20
        }
      },
      "action": {
        "in": "body",
        "required": true,
        "schema": {
          "enum": [
            "resubmit",
            "undo",
            "cancel",
            "pause",
            "resume",
            "resolve",
            "retryNow"
          ]
        }
      },
      "step": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Which step of each task, if several can be meant."
        }
      },
      "output": {
        "in": "body",
        "required": false,
        "schema": {
          "$comment": "A payload: see payloadFaults",
          "description": "Of resolve: what the step of each task returned."
        }
      },
      "dryRun": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "boolean",
          "description": "Only says what would be done."
        }
      },
      "canary": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "integer",
          "minimum": 0,
          "maximum": 100000,
          "description": "So many tasks first; the others only if all of these succeed."
        }
      },
      "rate": {
        "in": "body",
        "required": false,
        "schema": {
          "type": "number",
          "minimum": 0.01,
          "maximum": 1000,
          "description": "Tasks a second; 10 unless it is said."
        }
      }
    }
  },
  "listBulkOperations": {
    "method": "GET",
    "path": "/v1/bulk-operations",
    "summary": "bulk operations, latest first, a page at a time.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "limit": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 3,
          "pattern": "^([1-9][0-9]?|100)$",
          "description": "How many, at most 100; 20 unless it is said."
        }
      },
      "cursor": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 100
        }
      }
    }
  },
  "listBulkItems": {
    "method": "GET",
    "path": "/v1/bulk-operations/{id}/items",
    "summary": "the tasks of a bulk operation and what became of each, a page at a time.",
    "description": "An item is `succeeded` only when its task has ended as the action intends, or its step got beyond the failure.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "outcome": {
        "in": "query",
        "required": false,
        "schema": {
          "enum": [
            "waiting",
            "applied",
            "refused",
            "succeeded",
            "failedAgain"
          ],
          "description": "Only tasks of which this became."
        }
      },
      "limit": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 3,
          "pattern": "^([1-9][0-9]?|100)$",
          "description": "How many, at most 100; 20 unless it is said."
        }
      },
      "cursor": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 100
        }
      },
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200
        }
      }
    }
  },
  "stopBulkOperation": {
    "method": "POST",
    "path": "/v1/bulk-operations/{id}/stop",
    "summary": "applies no further item of a bulk operation; what was applied stays applied.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "getBulkOperation": {
    "method": "GET",
    "path": "/v1/bulk-operations/{id}",
    "summary": "a bulk operation, and how far it is.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 200
        }
      }
    }
  },
  "followChanges": {
    "method": "GET",
    "path": "/v1/events",
    "summary": "follows all tasks: which of them have changed, and how the system is.",
    "description": "Server-Sent Events. `changed`, once a second at most: `{ tasks, more }`, at most 200 tasks with `id`, `workflow`, `state`, `version` and `updatedAt` as they are now, the latest first; `more` have changed besides. `tick`, each two seconds: `{ at, overview }` as `GET /v1/overview` answers it. After a lost connection it goes on after Last-Event-ID: of the last 20,000 moves, and tasks of the last five seconds may come once more.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "lastEventId": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 200
        }
      }
    }
  },
  "listDeadLetters": {
    "method": "GET",
    "path": "/v1/dead-letters",
    "summary": "messages that no service could use, latest first, a page at a time.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "queue": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Where they were found."
        }
      },
      "limit": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 3,
          "pattern": "^([1-9][0-9]?|100)$",
          "description": "Letters of a page: from 1 to 100; 20 unless it is set."
        }
      },
      "cursor": {
        "in": "query",
        "required": false,
        "schema": {
          "type": "string",
          "maxLength": 18,
          "pattern": "^[0-9]{1,18}$",
          "description": "The `next` of the page before."
        }
      }
    }
  },
  "listDeadLetterActions": {
    "method": "GET",
    "path": "/v1/dead-letter-actions",
    "summary": "which dead letters were sent once more or discarded, by whom and why, latest first.",
    "description": "",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  },
  "replayDeadLetter": {
    "method": "POST",
    "path": "/v1/dead-letters/{id}/replay",
    "summary": "sends a dead letter once more, as it came.",
    "description": "Only submissions and replies can be sent once more; `replayable` says which. It is gone from the list once a queue has it, and comes back if what made it a dead letter is still there. Asking again does no harm: it is sent under its own message id.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 18,
          "pattern": "^[0-9]{1,18}$",
          "description": "The number of the dead letter."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "discardDeadLetter": {
    "method": "POST",
    "path": "/v1/dead-letters/{id}/discard",
    "summary": "deletes a dead letter for good.",
    "description": "Who did it and why stays in `GET /v1/dead-letter-actions`.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {
      "id": {
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 18,
          "pattern": "^[0-9]{1,18}$",
          "description": "The number of the dead letter."
        }
      },
      "actor": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "pattern": "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
          "description": "Who acts: kept in the history."
        }
      },
      "reason": {
        "in": "body",
        "required": true,
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
          "description": "Why: kept in the history."
        }
      }
    }
  },
  "getSystem": {
    "method": "GET",
    "path": "/v1/system",
    "summary": "what the tasks run on: processes, queues, outbox, months and the settings of this process.",
    "description": "At most five seconds old. `queues` is null where RabbitMQ's HTTP API is not known or does not answer; `queuesNote` says why. Secrets are shown as `(secret)`, and URLs without their passwords. Durations are milliseconds.",
    "needsToken": true,
    "hasPlainBody": false,
    "fields": {}
  }
} as const;
