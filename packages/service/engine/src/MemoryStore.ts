import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Browser } from "./domain/Browser.ts"
import { type IdempotencyRecord, isExpired, lifetime_ms } from "./domain/IdempotencyRecord.ts"
import type { Node } from "./domain/Node.ts"
import type { StoredMessage } from "./domain/StoredMessage.ts"
import type { Session } from "./domain/Session.ts"
import { isTerminal, type Turn, type TurnStep } from "./domain/Turn.ts"
import { Conflict, KeyTaken, type Records, type Step, Store, type StoredEvent } from "./ports/Store.ts"

/** How many events are remembered. */
const maxEvents = 10_000

const make = Effect.gen(function* () {
  const sessions = new Map<string, Session>()
  const browsers = new Map<string, Browser>()
  const turns = new Map<string, Turn>()
  const steps = new Map<string, Array<TurnStep>>()
  const messages = new Map<string, StoredMessage>()
  const keys = new Map<string, IdempotencyRecord>()
  // most sessions have one turn: its id alone is a hundred bytes less than an array of it
  const turnIds = new Map<string, string | Array<string>>()
  /** The sessions that have something to do, or that a node works on, with their turns that are not terminal. */
  const busy = new Map<string, ReadonlyArray<Turn>>()
  const openBrowsers = new Set<string>()
  /** When the lease of each node ends, and its record; a lost node has no record. */
  const nodes = new Map<string, { readonly until_ms: number; readonly node?: Node }>()
  let events: Array<StoredEvent> = []
  let cursor = 0
  const clock = yield* Clock.Clock
  /** The time of the store, not of the caller. */
  const now = Effect.sync(() => clock.currentTimeMillisUnsafe())

  const idsOf = (sessionId: string): ReadonlyArray<string> => {
    const known = turnIds.get(sessionId) ?? []
    return typeof known === "string" ? [known] : known
  }

  const turnsOf = (sessionId: string) => idsOf(sessionId).flatMap((id) => turns.get(id) ?? [])

  const putTurn = (turn: Turn) => {
    if (!turns.has(turn.id)) {
      const known = turnIds.get(turn.sessionId)
      if (known === undefined) turnIds.set(turn.sessionId, turn.id)
      else if (typeof known === "string") turnIds.set(turn.sessionId, [known, turn.id])
      else known.push(turn.id)
    }
    turns.set(turn.id, turn)
  }

  /** Keeps the session among those that have something to do, while it has. */
  const putBusy = (session: Session, changed: ReadonlyArray<Turn>) => {
    const before = busy.get(session.id) ?? []
    const kept = before.filter(({ id }) => !changed.some((turn) => turn.id === id))
    const open = [...kept, ...changed].filter(({ id, status }) => !isTerminal(status) || id === session.lease?.turnId)
    if (open.length === 0) busy.delete(session.id)
    else busy.set(session.id, kept.length === 0 ? open : open.toSorted((left, right) => left.seq - right.seq))
  }

  const putBrowser = (browser: Browser) => {
    browsers.set(browser.id, browser)
    if (browser.status === "stopped") openBrowsers.delete(browser.id)
    else openBrowsers.add(browser.id)
  }

  const putStep = (step: TurnStep) => {
    const known = steps.get(step.turnId) ?? []
    known[step.ordinal - 1] = step
    steps.set(step.turnId, known)
  }

  // a key that is used again counts from then on, so the oldest record stays in front
  const putKey = (record: IdempotencyRecord) => {
    forgetKeys(record.createdAt_ms - lifetime_ms)
    keys.delete(record.key)
    keys.set(record.key, record)
  }

  const forgetKeys = (until_ms: number, limit = Infinity): number => {
    let forgotten = 0
    for (const { createdAt_ms, key } of keys.values()) {
      if (createdAt_ms > until_ms || forgotten === limit) break
      keys.delete(key)
      forgotten++
    }
    return forgotten
  }

  const write = ({ browser, events: told, forgetKey, key, message, session, turnSteps, turns: changed = [] }: Step) => {
    if (session !== undefined) {
      sessions.set(session.id, session)
      for (const turn of changed) putTurn(turn)
      putBusy(session, changed)
    }
    if (browser !== undefined) putBrowser(browser)
    for (const step of turnSteps ?? []) putStep(step)
    if (message !== undefined) messages.set(message.id, message)
    if (forgetKey !== undefined) keys.delete(forgetKey)
    if (key !== undefined) putKey(key)
    for (const event of told) events.push({ cursor: ++cursor, event })
    if (events.length > 2 * maxEvents) events = events.slice(-maxEvents)
  }

  /** Why a step is refused, if it is. */
  const refusal = ({ browser, key, message, session, turns: changed = [] }: Step) => {
    const known = key === undefined ? undefined : keys.get(key.key)
    if (known !== undefined && key !== undefined && !isExpired(known, key.createdAt_ms)) {
      return new KeyTaken({ record: known })
    }
    if (session !== undefined && (sessions.get(session.id)?.revision ?? 0) !== session.revision - 1) {
      return new Conflict({ id: session.id })
    }
    if (browser !== undefined && (browsers.get(browser.id)?.revision ?? 0) !== browser.revision - 1) {
      return new Conflict({ id: browser.id })
    }
    // an id of a turn or message that another one has
    for (const { id, sessionId } of changed) {
      if ((turns.get(id)?.sessionId ?? sessionId) !== sessionId) return new Conflict({ id })
      if (turns.has(id) && session?.revision === 1) return new Conflict({ id })
    }
    return message !== undefined && messages.has(message.id) ? new Conflict({ id: message.id }) : undefined
  }

  const find = <A>(known: ReadonlyMap<string, A>, id: string) =>
    Effect.sync(() => Option.fromUndefinedOr(known.get(id)))

  const clear = () => {
    for (const known of [sessions, browsers, turns, steps, messages, keys, turnIds, busy, openBrowsers, nodes]) {
      known.clear()
    }
    events = []
    cursor = 0
  }

  const load = (records: Records) => {
    clear()
    for (const session of records.sessions) sessions.set(session.id, session)
    for (const turn of records.turns) putTurn(turn)
    for (const session of records.sessions) putBusy(session, turnsOf(session.id))
    for (const browser of records.browsers) putBrowser(browser)
    for (const step of records.turnSteps) putStep(step)
    for (const message of records.messages) messages.set(message.id, message)
    for (const record of records.idempotencyRecords) keys.set(record.key, record)
  }

  const nodesWhere = (fits: (until_ms: number, now_ms: number) => boolean) =>
    Effect.map(now, (now_ms) =>
      [...nodes.values()]
        .flatMap(({ node, until_ms }) => (node !== undefined && fits(until_ms, now_ms) ? [node] : []))
        .toSorted((left, right) => (left.id < right.id ? -1 : 1))
    )

  const isLost = (node: string, now_ms: number) => (nodes.get(node)?.until_ms ?? -Infinity) <= now_ms

  /** The first of these that fit, as many as asked for. */
  const upTo = <A>(known: Iterable<A>, limit: number, fits: (one: A) => boolean): ReadonlyArray<A> => {
    const found: Array<A> = []
    for (const one of known) {
      if (found.length >= limit) break
      if (fits(one)) found.push(one)
    }
    return found
  }

  const forgetTurns = (ids: ReadonlyArray<string>) => {
    for (const id of ids) {
      turns.delete(id)
      steps.delete(id)
    }
    for (const { id, turnId } of messages.values()) if (ids.includes(turnId)) messages.delete(id)
  }

  const attempt = (step: Step) =>
    Effect.suspend(() => {
      const refused = refusal(step)
      if (refused !== undefined) return Effect.fail(refused)
      write(step)
      return Effect.void
    })

  return Store.of({
    // `also` does not run for a refused step, and its failure writes nothing
    commit: (step) =>
      step.also === undefined
        ? attempt(step)
        : Effect.suspend(() => {
            const refused = refusal(step)
            return refused === undefined
              ? Effect.andThen(step.also ?? Effect.void, attempt(step))
              : Effect.fail(refused)
          }),
    session: (id) => find(sessions, id),
    sessionState: (id) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(sessions.get(id)), (session) => ({ session, turns: busy.get(id) ?? [] }))
      ),
    turn: (id) => find(turns, id),
    turnsOf: (sessionId) => Effect.sync(() => turnsOf(sessionId)),
    stepsOf: (turnId) => Effect.sync(() => [...(steps.get(turnId) ?? [])]),
    message: (id) => find(messages, id),
    browser: (id) => find(browsers, id),
    idempotencyRecord: (key) => find(keys, key),
    unfinished: (limit) =>
      Effect.sync(() => ({
        sessions: upTo(busy.keys(), limit, () => true),
        browsers: upTo(openBrowsers, limit, () => true)
      })),
    renew: (node, ttl_ms, isKnown = false) =>
      Effect.map(now, (now_ms) => {
        const known = nodes.get(node.id)
        if (known === undefined ? isKnown : known.node === undefined) return false
        const draining = node.draining || (known?.node?.draining ?? false)
        nodes.set(node.id, { until_ms: now_ms + ttl_ms, node: { ...node, draining } })
        return true
      }),
    nodes: nodesWhere((until_ms, now_ms) => until_ms > now_ms),
    silent: nodesWhere((until_ms, now_ms) => until_ms <= now_ms),
    drain: (id, draining = true) =>
      Effect.map(now, (now_ms) => {
        const { node, until_ms = now_ms } = nodes.get(id) ?? {}
        if (node === undefined || until_ms <= now_ms) return false
        nodes.set(id, { until_ms, node: { ...node, draining } })
        return true
      }),
    node: (id) =>
      Effect.map(now, (now_ms) => {
        const { node, until_ms = now_ms } = nodes.get(id) ?? {}
        return until_ms <= now_ms ? Option.none() : Option.fromUndefinedOr(node)
      }),
    leave: (node) => Effect.map(now, (now_ms) => void nodes.set(node, { until_ms: now_ms })),
    isLost: (node) =>
      Effect.map(now, (now_ms) => {
        if (!isLost(node, now_ms)) return false
        if (nodes.has(node)) nodes.set(node, { until_ms: -Infinity })
        return true
      }),
    cancelledAt: (node) =>
      Effect.sync(() =>
        [...busy].flatMap(([id, open]) => {
          const lease = sessions.get(id)?.lease ?? null
          return lease?.node === node ? open.filter((turn) => turn.id === lease.turnId && turn.cancel !== null) : []
        })
      ),
    abandoned: (limit) =>
      Effect.map(now, (now_ms) => ({
        sessions: upTo(busy.keys(), limit, (id) => {
          const lease = sessions.get(id)?.lease ?? null
          return lease === null || isLost(lease.node, now_ms)
        }),
        browsers: upTo(openBrowsers, limit, (id) => isLost(browsers.get(id)?.node ?? "", now_ms))
      })),
    eventsAfter: (after, limit) =>
      Effect.sync(() => {
        const first = events[0]?.cursor ?? 1
        const from = Math.max(0, after + 1 - first)
        return events.slice(from, from + limit)
      }),
    prune: ({
      eventsUntil = 0,
      finishedUntil_ms = -Infinity,
      keysUntil_ms = -Infinity,
      limit,
      turnsUntilId,
      turnsUntil_ms = -Infinity
    }) =>
      Effect.sync(() => {
        const isOver = (record: { readonly finishedAt_ms: number | null }, until_ms: number) =>
          record.finishedAt_ms !== null && record.finishedAt_ms <= until_ms
        const oldest = <A extends { readonly id: string; readonly finishedAt_ms: number | null }>(
          all: Iterable<A>,
          until_ms: number
        ) =>
          [...all]
            .filter((record) => isOver(record, until_ms))
            .toSorted(
              (left, right) => (left.finishedAt_ms ?? 0) - (right.finishedAt_ms ?? 0) || (left.id < right.id ? -1 : 1)
            )
            .slice(0, limit)
        const gone = oldest(sessions.values(), finishedUntil_ms).filter(({ id }) => !busy.has(id))
        for (const { id } of gone) {
          forgetTurns(idsOf(id))
          turnIds.delete(id)
          sessions.delete(id)
        }
        const old = oldest(turns.values(), turnsUntil_ms).filter(
          ({ finishedAt_ms, id, sessionId }) =>
            sessions.get(sessionId)?.lease?.turnId !== id &&
            (turnsUntilId === undefined || finishedAt_ms !== turnsUntil_ms || id <= turnsUntilId)
        )
        forgetTurns(old.map(({ id }) => id))
        for (const { sessionId } of old)
          turnIds.set(
            sessionId,
            idsOf(sessionId).filter((id) => turns.has(id))
          )
        const stopped = oldest(browsers.values(), finishedUntil_ms)
        for (const { id } of stopped) browsers.delete(id)
        const told = events.filter(({ cursor: at }) => at <= eventsUntil).slice(0, limit).length
        events = events.slice(told)
        return {
          sessions: gone.length,
          turns: old.length,
          browsers: stopped.length,
          keys: forgetKeys(keysUntil_ms, limit),
          events: told
        }
      }),
    records: Effect.sync(() => ({
      sessions: [...sessions.values()],
      turns: [...turns.values()],
      turnSteps: [...steps.values()].flat(),
      messages: [...messages.values()],
      browsers: [...browsers.values()],
      idempotencyRecords: [...keys.values()]
    })),
    replace: (records) => Effect.sync(() => load(records))
  })
})

/** Keeps everything in memory; it is lost with the process. */
export const layer: Layer.Layer<Store> = Layer.effect(Store, make)
