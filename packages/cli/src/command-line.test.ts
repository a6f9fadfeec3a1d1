import { describe, expect, test } from "@jest/globals";
import { readCommandLine } from "./command-line.ts";
import { environmentFor, spansOf } from "./settings.ts";

const id = "01a1fd8d-d928-77c8-96cb-353aaba1757f";

describe("the command line", () => {
  test("shows the help if there are no arguments", () => {
    expect(readCommandLine([]).command).toBe("help");
    expect(readCommandLine(["verify", "-h"]).command).toBe("help");
  });

  test("shows the version for --version, whatever the other arguments", () => {
    expect(readCommandLine(["--version"]).command).toBe("version");
    expect(readCommandLine(["verify", "--version"]).command).toBe("version");
  });

  test("names a task by its id, however it is written", () => {
    expect(readCommandLine(["why", id.toUpperCase()])).toMatchObject({
      command: "why",
      taskId: id,
    });
  });

  test.each([
    [["veriyf"], "Unknown command veriyf"],
    [["why"], "Say which task"],
    [["why", "order-1"], "Say which task"],
    [["why", "nonsense"], "nonsense is no task id. It is the id with which an order was accepted"],
    [["why", id, id], "why does not take"],
    [["verify", id], "verify does not take"],
    [["verify", "--sinse", "1h"], "--sinse"],
    [["verify", "--since"], "--since"],
  ])("refuses %j", (args, reason) => {
    expect(() => readCommandLine(args)).toThrow(
      expect.objectContaining({ code: "cli.usage", message: expect.stringContaining(reason) }),
    );
  });
});

describe("settings", () => {
  test("prefer the option to the environment variable, and that to its file", () => {
    const line = readCommandLine(["verify", "--state-store-url", "postgres://option/x"]);
    const env = { STATE_STORE_URL: "postgres://env/x", STATE_STORE_URL_FILE: "/run/secret" };
    expect(environmentFor(line, env)).toMatchObject({
      STATE_STORE_URL: "postgres://option/x",
      STATE_STORE_URL_FILE: "",
    });
  });

  test("accept durations", () => {
    const line = readCommandLine(["verify", "--since", "24h"]);
    expect(spansOf(line)).toEqual({ since: 86_400_000, consumerTimeout: null, openFor: null });
    expect(() => spansOf({ ...line, since: "yesterday" })).toThrow(
      "--since must be a duration from 0ms to 24d, such as",
    );
  });
});
