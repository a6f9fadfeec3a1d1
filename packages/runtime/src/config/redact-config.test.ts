import { expect, test } from "@jest/globals";
import { redactConfig, redacted } from "./redact-config.ts";

const shown = (url: string) => redactConfig({ STATE_STORE_URL: url })["STATE_STORE_URL"];

test.each([
  ["postgres://holdfast:pw-1@db:5432/holdfast", "postgres://holdfast@db:5432/holdfast"],
  ["postgres://holdfast:pw-1@a:5432,b:5432/db", "postgres://holdfast@a:5432,b:5432/db"],
  ["postgres://holdfast:pw-1@pw-1@db/holdfast", "postgres://holdfast@db/holdfast"],
  ["postgres://:pw-1@db/holdfast", "postgres://@db/holdfast"],
  ["postgres://db/holdfast", "postgres://db/holdfast"],
  ["amqps://user:pw-1@rabbit/%2f", "amqps://user@rabbit/%2f"],
  [
    "postgres://db/x?sslmode=require&password=pw-1&user=ada",
    `postgres://db/x?sslmode=require&password=${redacted}&user=ada`,
  ],
  ["postgres://db/x?options=-c%20a.b=pw-1", `postgres://db/x?options=${redacted}`],
  ["https://traces.example/{traceId}", "https://traces.example/{traceId}"],
])("%s is shown as %s", (url, expected) => {
  expect(shown(url)).toBe(expected);
});

test.each([
  ["a slash in its password", "amqp://user:12/pw-1@rabbit/v"],
  ["a fragment", "postgres://user:a#pw-1@db/x"],
  ["a question mark in its password", "postgres://user:a?pw-1@db/x"],
  ["a backslash in its password", "https://user:a\\pw-1@rabbit"],
  ["no scheme", "://user:pw-1@rabbit"],
])("a URL with %s is shown as a secret, or without its password", (_, url) => {
  expect(String(shown(url))).not.toContain("pw-1");
});

test("tokens, headers, passwords and keys are secrets as a whole; other settings are shown", () => {
  const config = {
    OPERATOR_TOKEN: "t",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=x",
    PAYMENTS_API_KEY: "k",
    SMTP_PASSWORD: "p",
    KEEP: 1_000,
    MESSAGE_KEYS_KEPT_FOR: 30,
    CONSOLE: "on",
    PAUSED: null,
  };
  expect(redactConfig(config)).toEqual({
    ...config,
    OPERATOR_TOKEN: redacted,
    OTEL_EXPORTER_OTLP_HEADERS: redacted,
    PAYMENTS_API_KEY: redacted,
    SMTP_PASSWORD: redacted,
  });
});
