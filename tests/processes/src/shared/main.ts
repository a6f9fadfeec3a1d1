import { loadService, openOneProcess, type PartName } from "@holdfast/dev/one-process";
import { partnersService } from "@holdfast/partners-service/service";
import type { HostedService, Service } from "@holdfast/runtime";
import type { FromShared, ToShared } from "./messages.ts";

/**
 * The main file of a process that several services share. Its parent process names them, with the
 * environment of each, and gets their logs. It ends with its parent.
 */
const running = new Map<number, HostedService>();
const say = (message: FromShared): void => void process.send?.(message, () => {});

const services = openOneProcess({
  onCrash(name, error) {
    process.stderr.write(`${name ?? "A service"} crashed: ${textOf(error)}\n`);
    process.exit(1);
  },
});
process
  .on("message", (message: ToShared) => void act(message))
  .on("disconnect", () => process.exit());

async function act(message: ToShared): Promise<void> {
  const { id } = message;
  if (message.do === "stop") return await running.get(id)?.[Symbol.asyncDispose]();
  const { service, env } = message;
  const loaded: Service =
    service === "partners" ? partnersService : await loadService(service as PartName);
  const onLine = (line: string): void => say({ id, line });
  const hosted = services.start(loaded, { env, onLine });
  running.set(id, hosted);
  const reason = await hosted.ended.then(() => null, textOf);
  running.delete(id);
  say({ id, ended: reason });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
