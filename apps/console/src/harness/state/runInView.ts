import * as Atom from "effect/reactivity/Atom"
import { path } from "../../state/place.ts"
import { nothing, type Progress } from "./progress.ts"

/** A run as its events tell it. It stays while the page is open, so that only new events are asked for. */
export const progressOf = Atom.family((_run: string) => Atom.make<Progress>(nothing).pipe(Atom.keepAlive))

/** The run that is open, or whose trial is open; null on other screens. */
export const runInView: Atom.Atom<string | null> = Atom.make((get) => {
  const id = /^\/(?:runs|trial)\/([^/]+)$/u.exec(get(path))?.[1]
  try {
    return id === undefined ? null : decodeURIComponent(id)
  } catch {
    return null
  }
})
