import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** A program on a terminal. */
export interface Terminal extends AsyncDisposable {
  /** All that it has printed, without colours. */
  readonly text: string;
  /** Has `seen` look no more at what was printed up to now. */
  forget(): void;
  press(keys: string): void;
  /**
   * Resolves once something was printed since `forget` that matches. Throws when the program ends
   * before.
   */
  seen(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  /** Presses Ctrl-C and resolves to the exit code. */
  interrupt(): Promise<number | null>;
}

interface TerminalOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

/** Runs a command on a pseudo-terminal, as a person would. */
export function openTerminal(command: string, { folder, env }: TerminalOptions): Terminal {
  // `script` of util-linux gives its child a terminal of its own, and hands on what we write.
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    env: { ...process.env, ...env, TERM: "xterm" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  let from = 0;
  const add = (part: string): void => {
    text += part.replaceAll(colours, "").replaceAll("\r", "");
  };
  child.stdout.setEncoding("utf8").on("data", add);
  child.stderr.setEncoding("utf8").on("data", add);
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const press = (keys: string): void => void child.stdin.write(keys);
  return {
    get text() {
      return text;
    },
    forget() {
      from = text.length;
    },
    press,
    async seen(pattern, withinMs = 120_000) {
      const until = performance.now() + withinMs;
      for (;;) {
        const found = pattern.exec(text.slice(from));
        if (found !== null) return found;
        if (hasEnded(child)) throw new Error(`${command} ended before ${pattern}:\n${text}`);
        if (performance.now() > until)
          throw new Error(`${command} never printed ${pattern}:\n${text}`);
        await sleep(5);
      }
    },
    async interrupt() {
      press("\u0003");
      return exited;
    },
    async [Symbol.asyncDispose]() {
      if (hasEnded(child)) return;
      press("\u0003");
      const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
      await exited;
      clearTimeout(late);
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;
