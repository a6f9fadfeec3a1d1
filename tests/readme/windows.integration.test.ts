import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";

/** A module that makes the process take its machine for one with Windows. */
const onWindows = `data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process, "platform", { value: "win32" });',
)}`;

test.each(["start", "test", "stack"])(
  "npm run %s of a clone on Windows ends with one sentence that says where it runs",
  async (task) => {
    const args = ["--import", onWindows, join(repository, "tools/up.mjs"), task];
    const run = promisify(execFile)(process.execPath, args);
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr:
        "A clone of Holdfast does not run on Windows, which has neither its shell nor its signals: run it in WSL.\n",
    });
  },
);
