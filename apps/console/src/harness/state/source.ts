import type { Project } from "@webagent/harness-api"
import type { Actions, Source, SourceError } from "@webagent/harness-api/Source"
import type { ScenarioName } from "@webagent/report/Comparison"
import * as Effect from "effect/Effect"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { registry } from "../../state/react.ts"

/** The data that changes while a page is open. */
export type Changing = "runs" | "suites" | "nights" | "load"

/** Grows when records have changed, so that they are read again. */
export const version = Atom.family((_what: Changing) => Atom.make(0).pipe(Atom.keepAlive))

/** Reads records again. */
export const changed = (what: Changing): void => registry.set(version(what), registry.get(version(what)) + 1)

const states = new Map<Changing, number>()

/**
 * Notes the state of records, and reads them again if it was another one before. The command also sends it to a new
 * connection, because records may change between two connections.
 */
export const noteState = (what: Changing, state: number): void => {
  const isChanged = states.has(what) && states.get(what) !== state
  states.set(what, state)
  if (isChanged) changed(what)
}

const missing: SourceError = { _tag: "Unreachable", detail: "This page has no data" }

/** The source that the page reads. The entry of the page sets it before anything is shown. */
export const source: Atom.Writable<Source | null> = Atom.make<Source | null>(null).pipe(Atom.keepAlive)

/** Records of the source, read again when they have changed. */
export const read = <A>(
  what: Changing | ReadonlyArray<Changing>,
  of: (source: Source) => Effect.Effect<A, SourceError>
) =>
  Atom.make((get): Effect.Effect<A, SourceError> => {
    for (const one of [what].flat() as ReadonlyArray<Changing>) get(version(one))
    const from = get(source)
    return from === null ? Effect.fail(missing) : of(from)
  })

/** The project that the page shows. */
export const project = read("suites", ({ project }) => project).pipe(Atom.keepAlive)

/** The suites with the last results of their scenarios, which each run changes. */
export const suites = read(["suites", "runs"], ({ suites }) => suites)

/** A night with its decisions. */
export const nightOf = Atom.family((id: string) => read("nights", (source) => source.night(id)))

const trends = Atom.family((key: string) =>
  read("nights", (source) => source.trend(JSON.parse(key) as ScenarioName | null))
)

/** A scenario over time; null for whole nights. */
export const trendOf = (scenario: ScenarioName | null) =>
  trends(JSON.stringify(scenario && { suite: scenario.suite, name: scenario.name }))

/** The changes that the page can make. */
export const canOf = (result: AsyncResult.AsyncResult<Project, unknown>): Project["can"] =>
  AsyncResult.isSuccess(result) ? result.value.can : { run: false, change: false, pay: false }

/** A change, which a page of a running command can make. */
export const change = <A, W>(
  what: ReadonlyArray<Changing>,
  of: (actions: Actions, value: W) => Effect.Effect<A, SourceError>
) =>
  Atom.fn((value: W): Effect.Effect<A, SourceError> => {
    const actions = registry.get(source)?.actions
    if (actions === null || actions === undefined) {
      return Effect.fail({ _tag: "RefusedError", detail: "An exported page can't change anything." })
    }
    return Effect.tap(of(actions, value), () =>
      Effect.sync(() => {
        for (const one of what) changed(one)
      })
    )
  })
