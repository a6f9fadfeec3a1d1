declare const later: unique symbol;

/**
 * A value that is known later. Its name is what the compiler calls a `Ref` that cannot be reached
 * into.
 */
export interface Ref<T> {
  readonly [later]: T;
}
