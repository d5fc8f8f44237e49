import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isExpired } from "./domain/IdempotencyRecord.ts"
import * as MemoryLists from "./MemoryLists.ts"
import * as MemoryNodes from "./MemoryNodes.ts"
import * as MemoryPruning from "./MemoryPruning.ts"
import * as MemoryTables from "./MemoryTables.ts"
import { Conflict, KeyTaken, type Records, type Step, Store } from "./ports/Store.ts"

type MemoryTables = MemoryTables.MemoryTables

/** Returns the reason to refuse a step, if there is one. */
const refusal = (
  { browsers, keys, messages, sessions, turns }: MemoryTables,
  { browser, key, message, session, turns: changed = [], unplaced }: Step
) => {
  const current = key === undefined ? undefined : (keys.get(key.key) ?? keys.get(key.also ?? ""))
  if (current !== undefined && key !== undefined && !isExpired(current, key.createdAt_ms)) {
    return new KeyTaken({ record: current })
  }
  if (session !== undefined && (sessions.get(session.id)?.revision ?? 0) !== session.revision - 1) {
    return new Conflict({ id: session.id })
  }
  if (browser !== undefined && (browsers.get(browser.id)?.revision ?? 0) !== browser.revision - 1) {
    return new Conflict({ id: browser.id })
  }
  if (unplaced !== undefined && browsers.get(unplaced.id)?.revision !== unplaced.revision) {
    return new Conflict({ id: unplaced.id })
  }
  // an id of a turn or message that another one has
  for (const { id, sessionId } of changed) {
    if ((turns.get(id)?.sessionId ?? sessionId) !== sessionId) return new Conflict({ id })
    if (turns.has(id) && session?.revision === 1) return new Conflict({ id })
  }
  return message !== undefined && messages.has(message.id) ? new Conflict({ id: message.id }) : undefined
}

/** Returns the first items that fit, at most `limit`. */
const upTo = <A>(records: Iterable<A>, limit: number, fits: (one: A) => boolean): ReadonlyArray<A> => {
  const matches: Array<A> = []
  for (const one of records) {
    if (matches.length >= limit) break
    if (fits(one)) matches.push(one)
  }
  return matches
}

const find = <A>(records: ReadonlyMap<string, A>, id: string) =>
  Effect.sync(() => Option.fromUndefinedOr(records.get(id)))

const make = Effect.fnUntraced(function* (records: Records | undefined) {
  const clock = yield* Clock.Clock
  /** The time of the store, not of the caller. */
  const now = Effect.sync(() => clock.currentTimeMillisUnsafe())
  const tables = MemoryTables.make(records)
  const nodes = MemoryNodes.make(now)
  const { browsers, busy, calls, keys, messages, openBrowsers, openTurnsOf, sessions, steps, turns, turnsOf } = tables

  const attempt = (step: Step) =>
    Effect.suspend(() => {
      const refused = refusal(tables, step)
      if (refused !== undefined) return Effect.fail(refused)
      tables.write(step)
      return Effect.void
    })

  return Store.of({
    isInMemory: true,
    // `also` does not run for a refused step, and its failure writes nothing
    commit: (step) =>
      step.also === undefined
        ? attempt(step)
        : Effect.suspend(() => {
            const refused = refusal(tables, step)
            return refused === undefined
              ? Effect.andThen(step.also ?? Effect.void, attempt(step))
              : Effect.fail(refused)
          }),
    session: (id) => find(sessions, id),
    sessionState: (id) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(sessions.get(id)), (session) => ({ session, turns: openTurnsOf(id) }))
      ),
    turn: (id) => find(turns, id),
    turnsOf: (sessionId) => Effect.sync(() => turnsOf(sessionId)),
    stepsOf: (turnId) => Effect.sync(() => [...(steps.get(turnId) ?? [])]),
    modelCallsOf: (turnId) => Effect.sync(() => [...(calls.get(turnId) ?? [])]),
    message: (id) => find(messages, id),
    browser: (id) => find(browsers, id),
    idempotencyRecord: (digest) => Effect.sync(() => Option.fromUndefinedOr(keys.get(digest))),
    unfinished: (limit) =>
      Effect.sync(() => ({
        sessions: upTo(busy.keys(), limit, () => true),
        browsers: upTo(openBrowsers, limit, () => true)
      })),
    ...nodes.operations,
    cancelledAt: (node) =>
      Effect.sync(() =>
        [...busy.keys()].flatMap((id) => {
          const lease = sessions.get(id)?.lease ?? null
          return lease?.node === node
            ? openTurnsOf(id).filter((turn) => turn.id === lease.turnId && turn.cancel !== null)
            : []
        })
      ),
    leasedTo: (node) =>
      Effect.sync(() =>
        [...busy.keys()].flatMap((id) => sessions.get(id) ?? []).filter(({ lease }) => lease?.node === node)
      ),
    startingAt: (node) =>
      Effect.sync(() =>
        upTo(openBrowsers, Infinity, (id) => {
          const browser = browsers.get(id)
          return browser?.status === "starting" && browser.node === node
        })
      ),
    abandoned: (limit) =>
      Effect.map(now, (now_ms) => ({
        sessions: upTo(busy.keys(), limit, (id) => {
          const lease = sessions.get(id)?.lease ?? null
          return lease === null || nodes.isExpired(lease.node, now_ms)
        }),
        browsers: upTo(openBrowsers, limit, (id) => nodes.isExpired(browsers.get(id)?.node ?? "", now_ms))
      })),
    eventsAfter: (after, limit) => Effect.sync(() => tables.eventsAfter(after, limit)),
    purge: MemoryPruning.purging(tables),
    eventsOf: (turnId, after, limit) => Effect.sync(() => tables.eventsOf(turnId, after, limit)),
    newestEvent: Effect.sync(tables.newestEvent),
    oldestEvent: Effect.sync(tables.oldestEvent),
    prune: MemoryPruning.make(tables),
    lists: MemoryLists.make(tables),
    records: Effect.sync(() => ({
      sessions: [...sessions.values()],
      turns: [...turns.values()],
      turnSteps: [...steps.values()].flat(),
      modelCalls: [...calls.values()].flat(),
      messages: [...messages.values()],
      browsers: [...browsers.values()],
      idempotencyRecords: keys.all()
    }))
  })
})

/** Keeps everything in memory; it is lost with the process. */
export const layer: Layer.Layer<Store> = Layer.effect(Store, make(undefined))

/** The same, with these records at the start. */
export const layerOf = (records: Records): Layer.Layer<Store> => Layer.effect(Store, make(records))
