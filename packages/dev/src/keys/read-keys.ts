import type { ReadStream } from "node:tty";

const interrupt = "\u0003";
const endOfInput = "\u0004";

/**
 * Calls back with each key that is pressed, and with Ctrl-C. On a terminal keys arrive as they are pressed; from a
 * pipe they are read as well, so that a script can press them.
 */
export function readKeys(
  input: NodeJS.ReadStream | ReadStream,
  { onKey, onStop }: { readonly onKey: (key: string) => void; readonly onStop: () => void },
): Disposable {
  const read = (text: string): void => {
    for (const key of text) {
      if (key === interrupt || key === endOfInput) onStop();
      else if (key.trim() !== "") onKey(key);
    }
  };
  if (input.isTTY) input.setRawMode(true);
  input.setEncoding("utf8").on("data", read);
  input.unref();
  return {
    [Symbol.dispose]() {
      input.off("data", read);
      if (input.isTTY) input.setRawMode(false);
      input.pause();
    },
  };
}
