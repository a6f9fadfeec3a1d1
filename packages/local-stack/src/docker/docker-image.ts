import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";

const run = promisify(execFile);
const answerWithinMs = 5_000;
const pullWithinMs = 20_000;

/** Says in a few words why no container of `image` can be started at once; null when one can. */
export async function whyNoContainer(image: string): Promise<string | null> {
  if (!hasClient()) return "the package testcontainers is not installed, so Docker is not used";
  const daemon = await succeeds(["version", "--format", "{{.Server.Version}}"], answerWithinMs);
  if (!daemon) return "no Docker daemon answers";
  if (await succeeds(["image", "inspect", image], answerWithinMs)) return null;
  // A daemon without a way to a registry is common: only the image itself proves that it is there.
  if (await succeeds(["pull", "--quiet", image], pullWithinMs)) return null;
  return `Docker has no image ${image} and could not pull it within ${pullWithinMs / 1_000} s`;
}

/**
 * It is large, and most machines get their servers without it, so it is installed only to use
 * Docker.
 */
function hasClient(): boolean {
  try {
    createRequire(import.meta.url).resolve("testcontainers");
    return true;
  } catch {
    return false;
  }
}

async function succeeds(args: readonly string[], withinMs: number): Promise<boolean> {
  return run("docker", [...args], { timeout: withinMs }).then(
    () => true,
    () => false,
  );
}
