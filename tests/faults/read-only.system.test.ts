import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem } from "./faulty-system.ts";

/**
 * Makes every file system of this machine one that nothing can be written to, for what it becomes,
 * which has another user than root. It fails where anything can be written after all.
 */
const readOnly = [
  "unshare",
  "--mount",
  "--propagation",
  "private",
  "sh",
  "-c",
  [
    "while read -r _ place _; do",
    '  case $place in /proc*|/sys*) ;; *) mount -o remount,bind,ro "$place" 2>/dev/null ;; esac',
    "done < /proc/mounts",
    'for place in /tmp /dev/shm "$PWD"; do',
    '  if touch "$place/.holdfast-writable" 2>/dev/null; then echo "$place is writable" >&2; exit 3; fi',
    "done",
    'exec unshare --user --map-user=65534 --map-group=65534 "$@"',
  ].join("\n"),
  "sh",
] as const;

/** Whether this machine lets a process have mounts of its own: as root, on Linux. */
function canBeReadOnly(): boolean {
  try {
    const [command, ...args] = readOnly;
    execFileSync(command, [...args, "true"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

const isPossible = canBeReadOnly();
if (!isPossible) {
  process.stderr.write(
    "No service runs read-only: that needs root and mounts of its own, on Linux.\n",
  );
}
(isPossible ? test : test.skip)(
  "services run as another user than root on file systems that are read-only",
  async () => {
    await using faulty = await startFaultySystem({ within: readOnly });
    const ids = [...(await faulty.submit(["good", "declined"])), await faulty.order("good", 3)];
    expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 1 }));
    const complaints = faulty.log.filter(({ msg, err }) =>
      /EROFS|read-only|EACCES/i.test(`${msg} ${JSON.stringify(err ?? "")}`),
    );
    expect(complaints).toEqual([]);
  },
);
