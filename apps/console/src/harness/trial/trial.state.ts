import * as Atom from "effect/reactivity/Atom"
import { read } from "../state/source.ts"

/** The trace of a trial by its run and file, joined by a line break. */
const traces = Atom.family((key: string) => {
  const [run = "", trace = ""] = key.split("\n")
  return read("runs", (source) => source.trace(run, trace))
})

/** The requests, spans and pictures of a trial. */
export const traceOf = (run: string, trace: string) => traces(`${run}\n${trace}`)
