/**
 * What is released together, in reverse order: an `AsyncDisposableStack`, which Node 22 does not
 * have.
 */
export interface DisposableStack extends AsyncDisposable {
  /** Releases the value with the others, and returns it. */
  use<Value extends AsyncDisposable | Disposable>(value: Value): Value;
  /**
   * Waits until all are there, and returns them. Throws the first fault of those that do not come;
   * the others are released with the stack.
   */
  useAll<Values extends readonly AsyncDisposable[]>(
    coming: {
      readonly [Index in keyof Values]: Promise<Values[Index]>;
    },
  ): Promise<Values>;
  /** Calls back when the others are released. */
  defer(release: () => void | Promise<void>): void;
  /** A stack that holds everything instead: this one releases nothing any more. */
  move(): DisposableStack;
  disposeAsync(): Promise<void>;
}

/**
 * Opens an empty stack. What is released goes on when a part of it fails: then its fault is thrown
 * at the end, and several as one `AggregateError`.
 */
export function disposableStack(releases: (() => unknown)[] = []): DisposableStack {
  let isOver = false;
  const add = (release: () => unknown): void => {
    if (isOver) throw new ReferenceError("This stack has been released or moved.");
    releases.push(release);
  };
  const disposeAsync = async (): Promise<void> => {
    isOver = true;
    const faults: unknown[] = [];
    for (let release = releases.pop(); release !== undefined; release = releases.pop()) {
      try {
        await release();
      } catch (fault) {
        faults.push(fault);
      }
    }
    if (faults.length > 1) throw new AggregateError(faults, String(faults[0]));
    if (faults.length === 1) throw faults[0];
  };
  const use: DisposableStack["use"] = (value) => {
    add(() =>
      Symbol.asyncDispose in value ? value[Symbol.asyncDispose]() : value[Symbol.dispose](),
    );
    return value;
  };
  return {
    use,
    async useAll(coming) {
      const settled = await Promise.allSettled(coming);
      for (const one of settled) if (one.status === "fulfilled") use(one.value);
      return await Promise.all(coming);
    },
    defer: add,
    move() {
      if (isOver) throw new ReferenceError("This stack has been released or moved.");
      isOver = true;
      return disposableStack(releases.splice(0));
    },
    disposeAsync,
    [Symbol.asyncDispose]: disposeAsync,
  };
}
