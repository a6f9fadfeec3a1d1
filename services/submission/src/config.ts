import {
  BaseConfig,
  BrokerManagementUrl,
  BrokerTakeOver,
  BrokerUrl,
  Duration,
  Events,
  Integer,
  LoginTimeout,
  longestKept,
  MaxMessageBytes,
  Port,
  StateStoreUrl,
  StoreConnections,
  Text,
} from "@holdfast/runtime";
import {
  AddressShare,
  CorsOrigins,
  HttpNames,
  MaxConnections,
  TrustedProxies,
} from "@holdfast/runtime/http";
import { type Static, Type } from "typebox";
import { anonymousMayPattern } from "./access/access.ts";
import { statusWordsPattern } from "./access/status-queues.ts";

/** The settings of submission, by the names of their environment variables. */
export const SubmissionConfig = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
  STATE_STORE_CONNECTIONS: StoreConnections,
  /**
   * The broker, for tasks by message, and to hint at the Schedulers; over HTTP tasks are taken
   * without.
   */
  BROKER_URL: BrokerUrl,
  LOGIN_TIMEOUT: LoginTimeout,
  /**
   * RabbitMQ's HTTP API, for operators who ask how the broker is: what only it can tell is not
   * known without.
   */
  BROKER_MANAGEMENT_URL: Type.Optional(BrokerManagementUrl),
  /** `passive`: the operators own the topology; queues and exchanges are expected to be there. */
  BROKER_TOPOLOGY: Type.Union([Type.Literal("declare"), Type.Literal("passive")], {
    default: "declare",
  }),
  BROKER_TAKE_OVER: BrokerTakeOver,
  MAX_MESSAGE_BYTES: MaxMessageBytes,
  EVENTS: Events,
  /**
   * `tasks`: takes tasks, for applications, without the operators' routes. `operations`: the
   * operators' routes, without taking tasks. Each needs less rights than `all`.
   */
  ROLE: Type.Union([Type.Literal("all"), Type.Literal("tasks"), Type.Literal("operations")], {
    default: "all",
    formerly: "DUTY",
  }),
  /**
   * Modules whose exported workflows are stored at the start: paths and names of packages, with
   * commas between them. Others are stored by `PUT /v1/workflows/{name}`. The login of `ROLE=tasks`
   * stores the first version of a workflow only: name the modules for `ROLE=operations`, too, which
   * stores further ones.
   */
  WORKFLOW_MODULES: Type.Optional(Text()),
  /**
   * The workflow of messages that name none; it must be stored by then. Without it they are
   * refused.
   */
  DEFAULT_WORKFLOW: Type.Optional(Text()),
  /** `accept`: takes tasks also when an Agent of their workflow has never announced itself. */
  UNKNOWN_AGENTS: Type.Union([Type.Literal("refuse"), Type.Literal("accept")], {
    default: "refuse",
  }),
  /**
   * `newest`: a version that is not stored stands for the active one of its workflow. For
   * development only, where versions follow from the content of files: `holdfast dev` sets it.
   */
  UNKNOWN_VERSIONS: Type.Union([Type.Literal("refuse"), Type.Literal("newest")], {
    default: "refuse",
  }),
  /**
   * What operators must show; without one the operator routes are disabled. Where others than this
   * host can reach the service it must not be easy to guess: set it to what `openssl rand -base64
   * 32` prints.
   */
  OPERATOR_TOKEN: Type.Optional(Text({ minLength: 8 })),
  /**
   * The path of a file, YAML or JSON, that says who shows which key or token, and for which
   * audiences they decide (`approves`). It is read again when it changes. Unset: it is not known
   * who sends a request, and no one decides a step that waits for people.
   */
  ACCESS_FILE: Type.Optional(Text()),
  /**
   * Who sees a task, its history and its result: `anyone` who knows its id, or only `operators`
   * with their token.
   */
  READ_TASKS: Type.Union([Type.Literal("anyone"), Type.Literal("operators")], {
    default: "anyone",
  }),
  /**
   * What requests may ask for without the operators' token: `urgent` priority, a fairness `weight`
   * above 1, `reply-to` (any status queue, by message, too), `unknown-agents`, a beginning `later`
   * than in 30 days, `workflow-names` in the answer to an unknown one, a task by its business key
   * (`read-by-key`); or `none`. Unset: all while `HTTP_HOST` is loopback, otherwise none.
   */
  ANONYMOUS_MAY: Type.Optional(
    Text({
      pattern: anonymousMayPattern,
      description: "none, or names with commas between them, such as urgent,reply-to",
    }),
  ),
  /**
   * Users of the broker whose tasks by message send statuses to other queues than `status.<user>`
   * and `status.<user>.…`: the `statusWord` of each, as in the list of users. `*` is any:
   * operations sends dead letters again, and looks itself at who sent them first.
   */
  STATUS_WORDS: Text({
    default: "operations=*",
    pattern: statusWordsPattern,
    description:
      "users with their words, and commas between them, such as operations=*,shop=orders",
  }),
  /**
   * The address at which people find a trace, for the console: `{traceId}` stands for its id.
   * Unset: the console shows the id alone.
   */
  TRACE_URL_TEMPLATE: Type.Optional(
    Text({
      pattern: '^https?://[^\\s"<>]*\\{traceId\\}[^\\s"<>]*$',
      description: "a URL with {traceId} in it, such as https://tempo.example/trace/{traceId}",
    }),
  ),
  /** The address on which the HTTP routes answer; `::` is every one, IPv4 and IPv6. */
  HTTP_HOST: Text({ default: "::" }),
  /** The port of the HTTP routes; 0 takes a free one. */
  HTTP_PORT: Port(3_000),
  /** `on` serves the operators' console under `/console`, where the operators' routes are. */
  CONSOLE: Type.Union([Type.Literal("on"), Type.Literal("off")], { default: "off" }),
  /**
   * How long the `Idempotency-Key` of a task over HTTP stands for it: a repetition after that is a
   * new task.
   */
  HTTP_KEYS_KEPT_FOR: Duration({ default: "1d", most: longestKept }),
  /**
   * How long the `message_id` of a task by message stands for it: a redelivery after that is a new
   * task. Operators send a dead submission once more only within that time: set it there, too.
   */
  MESSAGE_KEYS_KEPT_FOR: Duration({ default: "30d", most: longestKept }),
  /** Connections at a time; a further one is closed at once. */
  MAX_CONNECTIONS: MaxConnections,
  ADDRESS_SHARE: AddressShare,
  TRUSTED_PROXIES: TrustedProxies,
  HTTP_NAMES: HttpNames,
  CORS_ORIGINS: CorsOrigins,
  /**
   * `on` compresses answers of JSON of a kibibyte or more (gzip) for clients that take it. `off`:
   * where a gateway lets browsers in by a cookie, or compresses itself.
   */
  COMPRESS_ANSWERS: Type.Union([Type.Literal("on"), Type.Literal("off")], { default: "on" }),
  /** Tasks that may wait for the state store; a further one is answered 503 at once. */
  MAX_WAITING_TASKS: Integer({
    default: 200,
    minimum: 1,
    maximum: 100_000,
    formerly: "MAX_WAITING_ORDERS",
  }),
  /**
   * The time in which a request must have arrived, and for which a task may then wait for the state
   * store.
   */
  REQUEST_TIMEOUT: Duration({ default: "10s", least: "100ms" }),
});
export type SubmissionConfig = Static<typeof SubmissionConfig>;
