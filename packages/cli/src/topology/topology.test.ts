import { expect, test } from "@jest/globals";
import { runCommand } from "../run-command.ts";

test.each([
  [["topology"], 2, "Say what to do: print, check or apply"],
  [["topology", "print"], 2, "Say who connects: --users FILE"],
  [["topology", "print", "--users", "nowhere.yaml"], 2, "nowhere.yaml is no list of users"],
  [["topology", "apply", "--users", "x"], 2, "Say where RabbitMQ's HTTP API is"],
  [["topology", "check", "--users", "x"], 2, "Say where the broker is"],
  [
    ["topology", "check", "--users", "x", "--management-url", "nonsense"],
    2,
    "--management-url is no URL",
  ],
])("%j ends with exit code %d and one sentence", async (args, code, words) => {
  const { exitCode, stderr } = await runCommand(args, {});
  expect({ exitCode, first: stderr.split("\n")[0] }).toEqual({
    exitCode: code,
    first: expect.stringContaining(words),
  });
});
