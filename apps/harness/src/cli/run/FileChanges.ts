import * as Effect from "effect/Effect"

/** Modification stamps of files, by path. */
type Stamps = ReadonlyMap<string, string>

// looked at and not told of: what editors, containers and network drives tell of a change differs
const often = "200 millis"

/**
 * Waits until a file is not as it was and, since editors write in steps, nothing has changed for a moment; answers which
 * files are not as they were.
 */
export const changed = Effect.fnUntraced(function* (before: Stamps, stampOf: (path: string) => string) {
  let last = before
  while (true) {
    yield* Effect.sleep(often)
    const now = new Map([...before.keys()].map((path) => [path, stampOf(path)]))
    const differ = [...now].filter(([path, stamp]) => stamp !== before.get(path)).map(([path]) => path)
    const isCalm = [...now].every(([path, stamp]) => stamp === last.get(path))
    if (differ.length > 0 && isCalm) return differ
    last = now
  }
})
