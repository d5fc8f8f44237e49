import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"

/** The action of a key in `--watch`. */
export type Key = "all" | "failed" | "again" | "quit" | "stop"

const byName: Readonly<Record<string, Key>> = { a: "all", f: "failed", return: "again", enter: "again", q: "quit" }

/** The keys of a terminal; where there is none, only Ctrl-C ends it. */
export const make = Effect.gen(function* () {
  const { stdinIsTerminal } = yield* Stdio.Stdio
  if (!(yield* stdinIsTerminal)) return { help: "Ctrl-C ends it", next: Effect.never }
  const { readInput } = yield* Terminal.Terminal
  const input = yield* readInput
  const next: Effect.Effect<Key> = Queue.take(input).pipe(
    Effect.map(({ key }): Key | undefined => byName[key.name]),
    // Ctrl-C ends the input
    Effect.catch(() => Effect.succeed<Key>("stop")),
    Effect.flatMap((key) => (key === undefined ? Effect.suspend(() => next) : Effect.succeed(key)))
  )
  return { help: "keys: a all, f failed, Enter again, q quit", next }
})
