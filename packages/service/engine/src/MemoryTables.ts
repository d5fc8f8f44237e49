import type { Browser } from "./domain/Browser.ts"
import type { ModelCall } from "./domain/ModelCall.ts"
import type { StoredMessage } from "./domain/StoredMessage.ts"
import type { Session } from "./domain/Session.ts"
import { isTerminal, type Turn, type TurnStep } from "./domain/Turn.ts"
import * as MemoryEvents from "./MemoryEvents.ts"
import * as MemoryKeys from "./MemoryKeys.ts"
import * as MemoryPlaces from "./MemoryPlaces.ts"
import * as MemorySpend from "./MemorySpend.ts"
import type { Records, Step } from "./ports/Store.ts"

/** The records of a store in memory. */
export type MemoryTables = ReturnType<typeof make>

/** Returns the turns that a session has to do, or that its lease names, after some changed. */
const openOf = ({ lease }: Session, before: ReadonlyArray<Turn>, changed: ReadonlyArray<Turn>) => {
  const kept = before.filter(({ id }) => !changed.some((turn) => turn.id === id))
  const open = [...kept, ...changed].filter(({ id, status }) => !isTerminal(status) || id === lease?.turnId)
  return kept.length === 0 ? open : open.toSorted((left, right) => left.seq - right.seq)
}

/** Makes tables with these records, or empty ones. */
export const make = (records?: Records) => {
  const sessions = new Map<string, Session>()
  const browsers = new Map<string, Browser>()
  const turns = new Map<string, Turn>()
  const steps = new Map<string, Array<TurnStep>>()
  const calls = new Map<string, Array<ModelCall>>()
  const messages = new Map<string, StoredMessage>()
  const keys = MemoryKeys.make(records?.idempotencyRecords)
  // most sessions have one turn, and its id alone takes a hundred bytes less than an array
  const turnIds = new Map<string, string | Array<string>>()
  /** Sessions with unfinished turns, or that a node works on, with these turns. Most have one, which needs no array. */
  const busy = new Map<string, Turn | ReadonlyArray<Turn>>()
  const openBrowsers = new Set<string>()
  const places = { turns: MemoryPlaces.make(), sessions: MemoryPlaces.make(), browsers: MemoryPlaces.make() }
  /** The cost of turns that were deleted. */
  const goneSpend: MemorySpend.Sums = new Map()
  const log = MemoryEvents.make()

  const idsOf = (sessionId: string): ReadonlyArray<string> => {
    const ids = turnIds.get(sessionId) ?? []
    return typeof ids === "string" ? [ids] : ids
  }

  const turnsOf = (sessionId: string) =>
    idsOf(sessionId)
      .map((id) => turns.get(id))
      .filter((turn) => turn !== undefined)

  const openTurnsOf = (sessionId: string): ReadonlyArray<Turn> => {
    const open = busy.get(sessionId) ?? []
    return "id" in open ? [open] : open
  }

  const putTurn = (turn: Turn) => {
    if (!turns.has(turn.id)) {
      places.turns.add(turn.id, turn.createdAt_ms)
      const ids = turnIds.get(turn.sessionId)
      if (ids === undefined) turnIds.set(turn.sessionId, turn.id)
      else if (typeof ids === "string") turnIds.set(turn.sessionId, [ids, turn.id])
      else ids.push(turn.id)
    }
    turns.set(turn.id, turn)
  }

  const putSession = (session: Session) => {
    if (!sessions.has(session.id)) places.sessions.add(session.id, session.createdAt_ms)
    sessions.set(session.id, session)
  }

  /** Keeps the session among those that have something to do, while it has. */
  const putBusy = (session: Session, changed: ReadonlyArray<Turn>) => {
    const open = openOf(session, openTurnsOf(session.id), changed)
    const [first] = open
    if (first === undefined) busy.delete(session.id)
    else busy.set(session.id, open.length === 1 ? first : open)
  }

  const putBrowser = (browser: Browser) => {
    if (!browsers.has(browser.id)) places.browsers.add(browser.id, browser.startedAt_ms)
    browsers.set(browser.id, browser)
    openBrowsers[browser.status === "stopped" ? "delete" : "add"](browser.id)
  }

  const putStep = (step: TurnStep) => {
    const sessionSteps = steps.get(step.turnId) ?? []
    sessionSteps[step.ordinal - 1] = step
    steps.set(step.turnId, sessionSteps)
  }

  const putCall = (call: ModelCall) => {
    const turnCalls = calls.get(call.turnId) ?? []
    turnCalls[call.ordinal - 1] = call
    calls.set(call.turnId, turnCalls)
  }

  const write = (step: Step) => {
    const { browser, forgetKey, key, message, session, turns: changed = [], unplaced } = step
    if (session !== undefined) {
      putSession(session)
      for (const turn of changed) putTurn(turn)
      putBusy(session, changed)
    }
    if (browser !== undefined) putBrowser(browser)
    if (unplaced !== undefined) {
      browsers.delete(unplaced.id)
      openBrowsers.delete(unplaced.id)
      places.browsers.forget((id) => id !== unplaced.id)
    }
    for (const turnStep of step.turnSteps ?? []) putStep(turnStep)
    for (const call of step.modelCalls ?? []) putCall(call)
    if (message !== undefined) messages.set(message.id, message)
    if (forgetKey !== undefined) keys.remove(forgetKey)
    if (key !== undefined) keys.put(key)
    log.addEvents(step.events)
  }

  if (records !== undefined) {
    for (const session of records.sessions) putSession(session)
    for (const turn of records.turns) putTurn(turn)
    for (const session of records.sessions) putBusy(session, turnsOf(session.id))
    for (const browser of records.browsers) putBrowser(browser)
    for (const step of records.turnSteps) putStep(step)
    for (const call of records.modelCalls) putCall(call)
    for (const message of records.messages) messages.set(message.id, message)
  }

  const forgetTurns = (ids: ReadonlyArray<string>) => {
    for (const id of ids) {
      const turn = turns.get(id)
      if (turn !== undefined) MemorySpend.add(goneSpend, turn)
      turns.delete(id)
      steps.delete(id)
      calls.delete(id)
    }
    for (const { id, turnId } of messages.values()) if (ids.includes(turnId)) messages.delete(id)
  }

  return {
    sessions,
    browsers,
    turns,
    steps,
    calls,
    messages,
    keys,
    turnIds,
    busy,
    openBrowsers,
    goneSpend,
    places,
    idsOf,
    turnsOf,
    openTurnsOf,
    write,
    forgetTurns,
    ...log
  }
}
