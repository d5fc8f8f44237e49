/** A class of errors, for `instanceof`. */
export interface ErrorClass<E extends Error> {
  new (...args: ReadonlyArray<unknown>): E
  readonly prototype: E
}

/** A class of Effect's with its instances in plain types. */
export const errorClass = <E extends Error>(self: new (...args: never) => E): ErrorClass<E> => self as ErrorClass<E>
