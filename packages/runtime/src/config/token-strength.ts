/** So many bits at least. 128 random ones, in hexadecimal or base64, are more by the count below. */
const leastBits = 70;

/** Whether a token could be found by trying: it is short, has few characters, repeats itself or counts up. */
export const isGuessable = (token: string): boolean => bitsOf(token) < leastBits;

/** A token that repeats a part counts as that part, and a run such as `aaaa` or `1234` as its first two characters. */
function bitsOf(token: string): number {
  const once = token.slice(0, periodOf(token));
  const counted = once.split("").filter((_, index) => !continuesRun(once, index));
  return counted.length * Math.log2(new Set(counted).size);
}

function periodOf(text: string): number {
  for (let period = 1; period < text.length; period += 1) {
    if (text.startsWith(text.slice(period))) return period;
  }
  return text.length;
}

function continuesRun(text: string, index: number): boolean {
  if (index < 2) return false;
  const step = text.charCodeAt(index) - text.charCodeAt(index - 1);
  return Math.abs(step) <= 1 && step === text.charCodeAt(index - 1) - text.charCodeAt(index - 2);
}
