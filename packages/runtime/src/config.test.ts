import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { Type } from "typebox";
import {
  BaseConfig,
  BrokerUrl,
  Duration,
  DurationOrOff,
  environmentNames,
  Integer,
  parseConfig,
  StateStoreUrl,
} from "./config.ts";

const Config = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
  BROKER_URL: BrokerUrl,
  WINDOW: Integer({ default: 200, minimum: 1 }),
  PAUSED: Type.Boolean({ default: false }),
  WAIT: Duration({ default: "1s" }),
  NOTE: Type.Optional(Type.String()),
});

const least = {
  STATE_STORE_URL: "postgres://holdfast:pw@db:5432/holdfast",
  BROKER_URL: "amqp://rabbit",
};
const faultsOf = (env: Readonly<Record<string, string>>): readonly string[] => {
  try {
    parseConfig(Config, env);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: "config.invalid" });
    return (error as Error).message.split("\n");
  }
};

test("needs only what has no default", () => {
  expect(parseConfig(Config, least)).toEqual({
    ...least,
    LOG_LEVEL: "info",
    SHUTDOWN_GRACE: 10_000,
    DEFAULT_SECRETS: "refused",
    HEALTH_HOST: "0.0.0.0",
    HEALTH_PORT: 0,
    WINDOW: 200,
    PAUSED: false,
    WAIT: 1_000,
  });
});

test("reads numbers, booleans and durations from text", () => {
  const env = { ...least, WINDOW: "7", PAUSED: "true", WAIT: "2h", LOG_LEVEL: "debug" };
  expect(parseConfig(Config, env)).toMatchObject({
    WINDOW: 7,
    PAUSED: true,
    WAIT: 7_200_000,
    LOG_LEVEL: "debug",
  });
});

test.each([
  ["250ms", 250],
  ["30s", 30_000],
  ["5m", 300_000],
  ["90d", 7_776_000_000],
  ["0s", 0],
])("takes %s as %d milliseconds", (text, expected) => {
  expect(parseConfig(Config, { ...least, WAIT: text }).WAIT).toBe(expected);
});

test.each([
  [{}, null],
  [{ KEEP: "off" }, null],
  [{ KEEP: "1d" }, 86_400_000],
])("a duration that may be off: %j is %p", (env, expected) => {
  expect(parseConfig(Type.Object({ KEEP: DurationOrOff }), env)).toEqual({ KEEP: expected });
  expect(() => parseConfig(Type.Object({ KEEP: Duration() }), { KEEP: "off" })).toThrow("KEEP");
});

test("ignores what it does not know, and takes nothing for empty", () => {
  const config = parseConfig(Config, { ...least, PATH: "/bin", WINDOW: "", NOTE: "" });
  expect(config).toMatchObject({ WINDOW: 200 });
  expect(Object.keys(config)).not.toContain("PATH");
  expect(Object.keys(config)).not.toContain("NOTE");
});

test("does not change what it was given", () => {
  const env = Object.freeze({ ...least, WAIT: "1m" });
  parseConfig(Config, env);
  expect(env.WAIT).toBe("1m");
});

test("says all that is wrong at once, and what to do about it", () => {
  const env = {
    BROKER_URL: "rabbit",
    WINDOW: "0",
    WAIT: "soon",
    LOG_LEVEL: "loud",
    PAUSED: "maybe",
  };
  expect(faultsOf(env)).toEqual([
    "STATE_STORE_URL is missing: set it to a Postgres URL such as postgres://user:password@host:5432/database",
    "LOG_LEVEL must be one of trace, debug, info, warn, error",
    "BROKER_URL must be a RabbitMQ URL such as amqp://user:password@host:5672/vhost",
    "WINDOW must be >= 1",
    "PAUSED must be boolean",
    "WAIT must be a duration such as 250ms, 30s, 5m, 2h or 90d",
  ]);
});

test.each(["http://db/holdfast", "postgres://user:pa ss@", "postgres://[db"])(
  "refuses %s for the state store without repeating it",
  (url) => {
    const faults = faultsOf({ ...least, STATE_STORE_URL: url });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^STATE_STORE_URL must be a Postgres URL/);
    expect(faults[0]).not.toContain(url);
  },
);

describe("a secret in a file", () => {
  const path = join(mkdtempSync(join(tmpdir(), "holdfast-")), "url");
  const { BROKER_URL, STATE_STORE_URL } = least;
  writeFileSync(path, `${STATE_STORE_URL}\n`);

  test("is read, without the line's end", () => {
    const config = parseConfig(Config, { BROKER_URL, STATE_STORE_URL_FILE: path });
    expect(config.STATE_STORE_URL).toBe(STATE_STORE_URL);
  });

  test("is a fault among the others when it is not there", () => {
    expect(faultsOf({ STATE_STORE_URL_FILE: "/nowhere" })).toEqual([
      expect.stringMatching(/^STATE_STORE_URL cannot be read from \/nowhere: ENOENT/),
      expect.stringMatching(/^BROKER_URL is missing/),
    ]);
  });

  test("must not contradict the environment", () => {
    expect(faultsOf({ ...least, STATE_STORE_URL_FILE: path })).toEqual([
      "STATE_STORE_URL is set twice: unset it or STATE_STORE_URL_FILE",
    ]);
  });
});

test("tells which environment variables it reads", () => {
  expect(environmentNames(BaseConfig)).toEqual([
    "LOG_LEVEL",
    "SHUTDOWN_GRACE",
    "DEFAULT_SECRETS",
    "HEALTH_HOST",
    "HEALTH_PORT",
  ]);
});
