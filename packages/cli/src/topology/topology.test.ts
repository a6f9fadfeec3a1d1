import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { runCommand } from "../../test/run-command.ts";

test.each([
  [["topology"], 2, "Write it as: holdfast topology <print|check|apply>"],
  [["topology", "draw"], 2, "Say what to do: print, check or apply"],
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

const folder = mkdtempSync(join(tmpdir(), "holdfast-topology-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test("the URL of RabbitMQ's HTTP API is read from a file, so that no command line has its password", async () => {
  const users = fileWith("users.yaml", "shop: application\n");
  const check = ["topology", "check", "--users", users];
  const env = { BROKER_MANAGEMENT_URL_FILE: fileWith("url", "http://a:b@127.0.0.1:1\n") };
  expect(await runCommand(check, env)).toMatchObject({
    exitCode: 69,
    stderr: expect.stringContaining("RabbitMQ's HTTP API at 127.0.0.1:1 does not answer"),
  });
  const both = { ...env, BROKER_MANAGEMENT_URL: "http://a:b@127.0.0.1:2" };
  expect(await runCommand(check, both)).toMatchObject({
    exitCode: 78,
    stderr: expect.stringContaining("BROKER_MANAGEMENT_URL is set twice"),
  });
});
