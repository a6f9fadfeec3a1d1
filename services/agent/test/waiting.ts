/** Nothing resolves it: a module that imports this is never loaded. */
export const never: unknown = await new Promise(() => {});
