import type { ServiceName, ServiceProcess, System } from "@holdfast/local-system";

interface Options {
  readonly system: System;
  readonly signal: AbortSignal;
  /** A process has ended, whoever ended it, and another one is started in its place. */
  readonly onEnd: (service: string, pid: number) => void;
}

/** Starts another process for each that ends, until the signal aborts. Resolves after the last start. */
export async function keepRunning({ system, signal, onEnd }: Options): Promise<void> {
  const watch = async (watched: ServiceProcess): Promise<void> => {
    const over = Promise.withResolvers<void>();
    const stop = () => over.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([watched.exited, over.promise]);
    signal.removeEventListener("abort", stop);
    if (signal.aborted) return;
    onEnd(watched.name, watched.pid);
    await watch(await system.start(watched.name as ServiceName));
  };
  await Promise.all([...system.processes].map(watch));
}
