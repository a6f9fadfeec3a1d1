/** Does something so many times, at most `width` at once. */
export async function inFlight(
  act: () => Promise<unknown>,
  { times, width }: { readonly times: number; readonly width: number },
): Promise<void> {
  let begun = 0;
  const next = async (): Promise<void> => {
    while (begun < times) {
      begun += 1;
      await act();
    }
  };
  await Promise.all(Array.from({ length: width }, next));
}
