import { describe, expect, test } from "@jest/globals";
import { peers } from "./contenders.ts";
import { foreignVersions, versionIn } from "./foreign-programs.ts";

describe("the version of a peer in another language", () => {
  const module = [
    "module holdfast.example/peers/river",
    "require (",
    "\tgithub.com/riverqueue/river v0.51.2",
    "\tgithub.com/riverqueue/river/rivershared v0.40.0 // indirect",
    ")",
  ].join("\n");

  test("stands behind its name in a go.mod", () => {
    expect(versionIn(module, "github.com/riverqueue/river")).toBe("0.51.2");
    expect(versionIn(module, "github.com/riverqueue/river/rivershared")).toBe("0.40.0");
  });

  test("stands behind its name in a requirements.txt", () => {
    expect(versionIn("celery==5.7.0\n", "celery")).toBe("5.7.0");
  });

  test("must be there", () => {
    expect(() => versionIn(module, "github.com/riverqueue")).toThrow("has no version");
  });

  test("is pinned for each peer that the comparison builds", () => {
    const foreign = peers.filter((peer) => peer.foreign !== undefined);
    expect(Object.values(foreignVersions())).toHaveLength(foreign.length);
  });
});
