import {
  type HostedService,
  type HostOptions,
  hostedNow,
  hostService,
  type Service,
} from "@holdfast/runtime";

/** The services of Holdfast. */
export type PartName = "submission" | "scheduler" | "supervisor" | "agent" | "console";

/** Each is loaded when it is first needed. */
const services: Readonly<Record<PartName, () => Promise<Service>>> = {
  submission: async () => (await import("@holdfast/submission-service/service")).submissionService,
  scheduler: async () => (await import("@holdfast/scheduler-service/service")).schedulerService,
  supervisor: async () => (await import("@holdfast/supervisor-service/service")).supervisorService,
  agent: async () => (await import("@holdfast/agent-service/service")).agentService,
  console: async () => (await import("@holdfast/console-service/service")).consoleService,
};

/**
 * This process as the place of several services, each with an environment, a log and metrics of its
 * own.
 */
export interface OneProcess extends AsyncDisposable {
  /** Starts a service. Its `ready` says when it works. */
  start(service: Service, options: HostOptions): HostedService;
}

interface OneProcessOptions {
  /**
   * Called with the name of a service that failed when it had begun to work, or with an uncaught
   * error: null, where it is not known whose. The process should end: the memory of its services is
   * not to be trusted.
   */
  readonly onCrash: (name: string | null, error: unknown) => void;
}

/** Opens this process to services. Disposing stops them, the last one first. */
export function openOneProcess({ onCrash }: OneProcessOptions): OneProcess {
  const hosted: HostedService[] = [];
  const crash = (error: unknown): void => onCrash(hostedNow(), error);
  process.on("uncaughtException", crash).on("unhandledRejection", crash);
  const start: OneProcess["start"] = (service, options) => {
    const one = hostService(service, options);
    hosted.push(one);
    // Before that, callers of `ready` see it.
    void one.ready.then(
      () => one.ended.catch((error: unknown) => onCrash(service.name, error)),
      () => {},
    );
    void one.ended.catch(() => {}).then(() => void hosted.splice(hosted.indexOf(one), 1));
    return one;
  };
  return {
    start,
    async [Symbol.asyncDispose]() {
      for (const one of [...hosted].toReversed()) await one[Symbol.asyncDispose]();
      process.off("uncaughtException", crash).off("unhandledRejection", crash);
    },
  };
}

/** Loads a service of Holdfast with all that it needs. */
export const loadService = async (name: PartName): Promise<Service> => await services[name]();
