import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { GenericContainer } from "testcontainers";
import { processIdentity } from "../processes/process-identity.ts";
import type { StartingServer } from "../processes/wait-until-ready.ts";

const run = promisify(execFile);
const ownerLabel = "holdfast.owner";

export interface ContainerOptions {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What the image's own entry point is given. */
  readonly command?: readonly string[];
  /**
   * Ports of the container, and those of this machine that lead to them and stay the same over a
   * restart.
   */
  readonly ports: readonly { readonly container: number; readonly host: number }[];
}

export interface OwnedContainer extends AsyncDisposable {
  readonly watch: StartingServer;
  /** Sends the signal to the server and waits until the container has ended. */
  stop(signal: "SIGKILL" | "SIGINT" | "SIGQUIT"): Promise<void>;
  start(): Promise<void>;
  exec(...command: readonly string[]): Promise<string>;
}

/** Starts a container. It is removed on disposal, or by the next run if we never come to that. */
export async function startContainer(options: ContainerOptions): Promise<OwnedContainer> {
  // Its reaper is one more image to have, and `removeAbandonedContainers` does the same.
  process.env["TESTCONTAINERS_RYUK_DISABLED"] ??= "true";
  await removeAbandonedContainers();
  const container = await containerOf(options).start();
  const id = container.getId();
  return {
    watch: {
      exited: new Promise(() => {}),
      hasExited: () => false,
      lastLines: () => `see: docker logs ${id}`,
    },
    async stop(signal) {
      await run("docker", ["kill", "--signal", signal, id]);
      await run("docker", ["wait", id]);
    },
    async start() {
      await run("docker", ["start", id]);
    },
    async exec(...command) {
      const { stdout } = await run("docker", ["exec", id, ...command]);
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      await run("docker", ["rm", "--force", "--volumes", id]);
    },
  };
}

/** The container that is started. */
export const containerOf = (options: ContainerOptions): GenericContainer =>
  new LoopbackContainer(options)
    .withEnvironment({ ...options.environment })
    .withCommand([...(options.command ?? [])])
    .withLabels({ [ownerLabel]: ownerOf(process.pid) });

/**
 * Publishes its ports on the loopback interface alone. The library knows ports of all interfaces
 * only.
 */
class LoopbackContainer extends GenericContainer {
  constructor({ image, ports }: ContainerOptions) {
    super(image);
    this.withExposedPorts(...ports);
    this.hostConfig.PortBindings = Object.fromEntries(
      ports.map(({ container, host }) => [
        `${container}/tcp`,
        [{ HostIp: "127.0.0.1", HostPort: String(host) }],
      ]),
    );
  }
}

const ownerOf = (pid: number) => `${pid}@${processIdentity(pid)}`;

async function removeAbandonedContainers(): Promise<void> {
  const format = `{{.ID}} {{.Label "${ownerLabel}"}}`;
  const filter = ["--filter", `label=${ownerLabel}`, "--format", format];
  const { stdout } = await run("docker", ["ps", "--all", ...filter]);
  for (const line of stdout.split("\n").filter(Boolean)) {
    const [id, owner] = line.split(" ") as [string, string];
    const lives = owner === ownerOf(Number.parseInt(owner, 10));
    if (!lives) await run("docker", ["rm", "--force", "--volumes", id]);
  }
}
