import type { StartRun } from "@webagent/harness-api"
import * as Atom from "effect/reactivity/Atom"
import { change, read } from "../state/source.ts"

/** A run with its report. */
export const runOf = Atom.family((id: string) => read("runs", (source) => source.run(id)))

/** Starts a run. */
export const startRun = change(["runs"], ({ start }, run: StartRun) => start(run))

/** Stops a run. It still writes its report. */
export const stopRun = change(["runs"], ({ stop }, run: string) => stop(run))
