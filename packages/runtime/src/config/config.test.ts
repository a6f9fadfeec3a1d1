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
  longestKept,
  parseConfig,
  StateStoreUrl,
} from "./config.ts";

const Config = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
  BROKER_URL: BrokerUrl,
  MAX_IN_FLIGHT: Integer({ default: 200, minimum: 1 }),
  PAUSED: Type.Boolean({ default: false }),
  WAIT: Duration({ default: "1s" }),
  NOTE: Type.Optional(Type.String()),
});

const least = {
  STATE_STORE_URL: "postgres://holdfast:pw@db:5432/holdfast",
  BROKER_URL: "amqp://rabbit",
};
const faultsOf = (env: Readonly<Record<string, string | undefined>>): readonly string[] => {
  try {
    parseConfig(Config, env);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: "config.invalid" });
    return (error as Error).message.split("\n");
  }
};

test("the configuration requires only settings without a default", () => {
  expect(parseConfig(Config, least)).toEqual({
    ...least,
    LOG_LEVEL: "info",
    SHUTDOWN_GRACE: 10_000,
    DEFAULT_SECRETS: "refused",
    HEALTH_HOST: "::",
    HEALTH_PORT: 0,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
    OTEL_TRACES_SAMPLER_ARG: 1,
    MAX_IN_FLIGHT: 200,
    PAUSED: false,
    WAIT: 1_000,
  });
});

test("the configuration reads numbers, booleans and durations from text", () => {
  const env = { ...least, MAX_IN_FLIGHT: "7", PAUSED: "true", WAIT: "2h", LOG_LEVEL: "debug" };
  expect(parseConfig(Config, env)).toMatchObject({
    MAX_IN_FLIGHT: 7,
    PAUSED: true,
    WAIT: 7_200_000,
    LOG_LEVEL: "debug",
  });
});

test.each([
  ["250ms", 250],
  ["30s", 30_000],
  ["5m", 300_000],
  ["24d", 2_073_600_000],
  ["0s", 0],
])("the configuration reads %s as %d milliseconds", (text, expected) => {
  expect(parseConfig(Config, { ...least, WAIT: text }).WAIT).toBe(expected);
});

test.each([
  [{}, null],
  [{ KEEP: "off" }, null],
  [{ KEEP: "1d" }, 86_400_000],
])("a duration that may be off: %j is %p", (env, expected) => {
  expect(parseConfig(Type.Object({ KEEP: DurationOrOff() }), env)).toEqual({ KEEP: expected });
  expect(() => parseConfig(Type.Object({ KEEP: Duration() }), { KEEP: "off" })).toThrow("KEEP");
});

test("the configuration ignores unknown variables, and does not treat an empty value as a missing one", () => {
  const config = parseConfig(Config, { ...least, PATH: "/bin", MAX_IN_FLIGHT: "", NOTE: "" });
  expect(config).toMatchObject({ MAX_IN_FLIGHT: 200 });
  expect(Object.keys(config)).not.toContain("PATH");
  expect(Object.keys(config)).not.toContain("NOTE");
});

test("the configuration does not change its input", () => {
  const env = Object.freeze({ ...least, WAIT: "1m" });
  parseConfig(Config, env);
  expect(env.WAIT).toBe("1m");
});

test("the configuration lists all problems at once, and what to do about them", () => {
  const env = {
    BROKER_URL: "rabbit",
    MAX_IN_FLIGHT: "0",
    WAIT: "soon",
    LOG_LEVEL: "loud",
    PAUSED: "maybe",
  };
  expect(faultsOf(env)).toEqual([
    "STATE_STORE_URL is missing: set it to a Postgres URL such as postgres://user:password@host:5432/database",
    "LOG_LEVEL must be one of trace, debug, info, warn, error",
    "BROKER_URL must be a RabbitMQ URL such as amqp://user:password@host:5672/vhost",
    "MAX_IN_FLIGHT must be >= 1",
    "PAUSED must be boolean",
    "WAIT must be a duration from 0ms to 24d, such as 250ms, 30s, 5m, 2h or 1d",
  ]);
});

test.each(["PARALLEL", "PARALLEL_FILE"])(
  "refuses a setting under its earlier name, %s, and says the name of now",
  (name) => {
    const Renamed = Type.Object({ AT_A_TIME: Integer({ default: 1, formerly: "PARALLEL" }) });
    expect(parseConfig(Renamed, { PARALLEL: "", AT_A_TIME: "7" })).toEqual({ AT_A_TIME: 7 });
    expect(() => parseConfig(Renamed, { [name]: "7" })).toThrow("PARALLEL is called AT_A_TIME now");
  },
);

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

  test("is read without the line break at its end", () => {
    const config = parseConfig(Config, { BROKER_URL, STATE_STORE_URL_FILE: path });
    expect(config.STATE_STORE_URL).toBe(STATE_STORE_URL);
  });

  test.each([
    ["with a byte order mark and a line break of Windows", `\ufeff${STATE_STORE_URL}\r\n`],
    [
      "that is as long as a value may be, and has a line break",
      `${STATE_STORE_URL}${" ".repeat(16_000)}\n`,
    ],
  ])("is read from a file %s", (_, text) => {
    const other = `${path}.other`;
    writeFileSync(other, text);
    const config = parseConfig(Config, { BROKER_URL, STATE_STORE_URL_FILE: other });
    expect(config.STATE_STORE_URL).toBe(STATE_STORE_URL);
  });

  test("is refused in UTF-16 with what to do, and without the secret", () => {
    const other = `${path}.utf16`;
    writeFileSync(other, Buffer.from(`\ufeff${STATE_STORE_URL}`, "utf16le"));
    expect(faultsOf({ BROKER_URL, STATE_STORE_URL_FILE: other })).toEqual([
      `STATE_STORE_URL cannot be read: ${other} is in UTF-16: save it as UTF-8`,
    ]);
  });

  test("is listed among the other problems if the file is missing", () => {
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

test.each([
  ["25d", "longer than a timer of Node can wait"],
  ["9007199254740993d", "beyond all numbers"],
  ["999999999999999999999999999999ms", "longer than a duration is written"],
])("refuses a wait of %s: %s", (text) => {
  const [fault, ...others] = faultsOf({ ...least, WAIT: text });
  expect(fault).toMatch(/^WAIT must be a duration from 0ms to 24d/);
  expect(others).toEqual([]);
});

test("a duration has the bounds that it is said to have", () => {
  const Bounded = Type.Object({
    OFTEN: Duration({ default: "1s", least: "10ms" }),
    KEEP: DurationOrOff({ most: longestKept }),
  });
  expect(parseConfig(Bounded, { OFTEN: "10ms", KEEP: "36500d" })).toEqual({
    OFTEN: 10,
    KEEP: 3_153_600_000_000,
  });
  expect(() => parseConfig(Bounded, { OFTEN: "9ms", KEEP: "36501d" })).toThrow(
    [
      "OFTEN must be a duration from 10ms to 24d, such as 250ms, 30s, 5m, 2h or 1d",
      "KEEP must be a duration from 0ms to 36500d, such as 250ms, 30s, 5m, 2h or 1d",
    ].join("\n"),
  );
});

test("the configuration refuses a value that is too long, and an endless file", () => {
  const env = { ...least, BROKER_URL: undefined, BROKER_URL_FILE: "/dev/zero" };
  expect(faultsOf(env)).toEqual(["BROKER_URL is longer than 16 KiB: look at /dev/zero"]);
  expect(faultsOf({ ...least, NOTE: "x".repeat(16 * 1024 + 1) })).toEqual([
    "NOTE is longer than 16 KiB: look at NOTE",
  ]);
});

test("the configuration lists the environment variables that it reads", () => {
  expect(environmentNames(BaseConfig)).toEqual([
    "LOG_LEVEL",
    "SHUTDOWN_GRACE",
    "DEFAULT_SECRETS",
    "HEALTH_HOST",
    "HEALTH_PORT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    "OTEL_SERVICE_NAME",
  ]);
});
