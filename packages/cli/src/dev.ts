import type { Io } from "./api/verb.ts";

/** Runs `holdfast dev`. It is loaded only when it is asked for, because it brings all services, and it is no part of the image. */
export async function dev(args: readonly string[], io: Io): Promise<number> {
  const command = [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
  try {
    const { runDev } = await import("@holdfast/dev");
    return await runDev(args, { command, io });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    io.err(
      "holdfast dev is not installed here: run npm install holdfast, without --omit=optional.\n",
    );
    return 1;
  }
}
