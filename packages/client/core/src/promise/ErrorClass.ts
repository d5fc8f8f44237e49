/** A class of errors, for `instanceof`. Only the client constructs its errors. */
export interface ErrorClass<E extends Error> {
  // oxlint-disable-next-line typescript/no-explicit-any
  new (...args: ReadonlyArray<any>): E
  readonly prototype: E
}
