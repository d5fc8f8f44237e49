import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { registry } from "./react.ts"

/** The last thing that happened, which screen readers announce once. */
export const notice: Atom.Writable<string> = Atom.make("").pipe(Atom.keepAlive)

/** Shows a sentence for 6 seconds. */
export const say = (sentence: string): void => registry.set(notice, sentence)

/** Clears the notice. Mounted by the shell. */
export const clearing = Atom.make((get) => {
  if (get(notice) === "") return Effect.void
  return Effect.andThen(
    Effect.sleep("6 seconds"),
    Effect.sync(() => registry.set(notice, ""))
  )
})
