/** Stops what the run started. */
export default async function stopStack() {
  await globalThis.holdfastTestStack?.[Symbol.asyncDispose]();
}
