import { isTerminalRunStatus } from "@webagent/contract/v4"
import type { Oracle } from "@webagent/control"
import { CreateOutcomeUnknown, type LedgerEntry, TransportError } from "@webagent/core"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { inspect } from "node:util"
import type { Sent } from "./Network.ts"
import * as Network from "./Network.ts"
import { countryOf, taskOf, type Told } from "./Program.ts"
import { apiKey, type History } from "./Simulation.ts"

/** What a client must never do, each by a name. */
export type Rule =
  /** A run or a browser was made twice for one intent. */
  | "made twice"
  /** A run ended, its id was known to the client, and its program did not get it. */
  | "result lost"
  /** What a program was told is not what the service knows. */
  | "wrong result"
  /** A browser is open whose id the client knew. */
  | "browser leaked"
  /** Something exists at the service that the ledger has never heard of, or says was refused. */
  | "denied"
  /** A create left before it was in the ledger. */
  | "not in the ledger first"
  /** An idempotency key where none belongs, none where one does, or one for two creates. */
  | "stray key"
  /** The API key went elsewhere, or can be read in a log, an error or the ledger. */
  | "key shown"
  /** A request came before the Retry-After of the one before it was over. */
  | "too early"
  /** More polls than the time that was waited allows. */
  | "too many polls"
  /** A request for what was known to be over, or after the client was closed. */
  | "request too late"
  /** A call was sent more often than its policy says. */
  | "too many attempts"
  /** A program had not ended long after everything had become well. */
  | "no end"
  /** Fibers of the client were left. */
  | "fibers left"

/** A rule that was broken, and how. */
export interface Violation {
  readonly rule: Rule
  readonly what: string
}

type Knowledge = { readonly state: "opening" | "opened" | "unknown" | "refused"; readonly id: string | undefined }

/** What the ledger has learnt of each create, by its key; also of those that are over. */
const knowledgeOf = (entries: ReadonlyArray<LedgerEntry>): ReadonlyMap<string, Knowledge> => {
  const known = new Map<string, Knowledge>()
  for (const entry of entries) {
    if (entry._tag === "closed") continue
    const id = entry._tag === "opened" ? entry.id : known.get(entry.key)?.id
    known.set(entry.key, { state: entry._tag, id })
  }
  return known
}

const fieldOf = (body: string, name: string): unknown => {
  const json: unknown = body === "" ? {} : JSON.parse(body)
  return typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined
}

const groupBy = <A>(
  items: Iterable<A>,
  key: (item: A) => string | undefined
): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const name = key(item)
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), item])
  }
  return groups
}

const errorOf = ({ exit }: Told) =>
  Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined

/** A redirect is not followed, and not a blip either: the program is told, with the id. */
const isRedirect = (error: unknown) =>
  error instanceof TransportError &&
  error.reason._tag === "UnexpectedStatus" &&
  error.reason.status >= 300 &&
  error.reason.status < 400

const creates = (sent: ReadonlyArray<Sent>) => sent.filter(({ method }) => method === "POST")

/** The ids that the client knows of what it made for an intent, and how the ledger has it. */
const madeFor = (history: History) => {
  const known = knowledgeOf(history.ledger)
  const keys = groupBy(
    creates(history.sent),
    ({ body, path }) =>
      `${path.slice(path.lastIndexOf("/") + 1)} ${String(fieldOf(body, "task") ?? fieldOf(body, "proxyCountryCode"))}`
  )
  return (kind: "runs" | "sessions" | "browsers", name: string): ReadonlyArray<Knowledge> => {
    const own = new Set((keys.get(`${kind} ${name}`) ?? []).map(({ idempotencyKey }) => idempotencyKey ?? ""))
    return Array.from(own, (key) => known.get(key) ?? { state: "refused", id: undefined })
  }
}

function* existence(history: History): Iterable<Violation> {
  const open = new Set(history.open.flatMap(({ id }) => (id === undefined ? [] : [id])))
  const made = madeFor(history)
  const turns = groupBy(history.state.turns, ({ task }) => task)
  const browsers = groupBy(history.state.browsers, ({ proxyCountryCode }) => proxyCountryCode ?? "")
  for (const { intent, ...rest } of history.told) {
    const own = turns.get(taskOf(intent)) ?? []
    const held = browsers.get(countryOf(intent)) ?? []
    if (own.length > 1) yield { rule: "made twice", what: `${own.length} runs for intent ${intent.index}` }
    if (held.length > 1) yield { rule: "made twice", what: `${held.length} browsers for intent ${intent.index}` }
    const runs = [...made("runs", taskOf(intent)), ...made("sessions", taskOf(intent))]
    if (own.length > 0 && runs.every(({ state }) => state === "refused")) {
      yield {
        rule: "denied",
        what: `the run of intent ${intent.index} exists, and the ledger says that it was refused`
      }
    }
    const opened = made("browsers", countryOf(intent))
    if (held.length > 0 && opened.every(({ state }) => state === "refused")) {
      yield {
        rule: "denied",
        what: `the browser of intent ${intent.index} exists, and the ledger says that it was refused`
      }
    }
    for (const browser of held) {
      if (browser.status !== "stopped" && opened.some(({ id }) => id === browser.id)) {
        yield { rule: "browser leaked", what: `browser ${browser.id} of intent ${intent.index} is open` }
      }
    }
    yield* delivery({ intent, ...rest }, own, runs, open)
  }
}

function* delivery(
  told: Told,
  turns: History["state"]["turns"],
  known: ReadonlyArray<Knowledge>,
  open: ReadonlySet<string>
): Iterable<Violation> {
  const { exit, intent, interrupted } = told
  const [turn] = turns
  if (Exit.isSuccess(exit)) {
    for (const { id, result, status } of exit.value) {
      const isRun = intent.way === "v4" || intent.way === "v4 with two waiters"
      const right =
        turn !== undefined &&
        isTerminalRunStatus(turn.status) &&
        (intent.way === "v3" ? id === turn.sessionId : id === turn.id) &&
        (!isRun || (status === turn.status && inspect(result) === inspect(turn.output)))
      if (!right)
        yield { rule: "wrong result", what: `intent ${intent.index} was told of ${id}: ${status} ${inspect(result)}` }
    }
    return
  }
  const error = errorOf(told)
  const wasKnown = known.some(({ id }) => id !== undefined)
  // then its id is in the error, and in the ledger, so that its program may go on waiting
  const ids = turn === undefined ? [] : [turn.id, turn.sessionId]
  const named = ids.some((id) => open.has(id)) && ids.some((id) => String(error).includes(id))
  if (!interrupted && turn !== undefined && wasKnown && !(isRedirect(error) && named)) {
    yield {
      rule: "result lost",
      what: `intent ${intent.index}, run ${turn.id}: ${String(error ?? Cause.squash(exit.cause))}`
    }
  }
}

function* keys(history: History): Iterable<Violation> {
  const { journal, ledger, logs, sent, told, verdicts } = history
  const opening = new Map(ledger.flatMap((entry) => (entry._tag === "opening" ? [[entry.key, entry.at_ms]] : [])))
  const uses = new Map<string, string>()
  for (const { at_ms, body, idempotencyKey, method, origin, path } of sent) {
    if (origin !== Network.address) yield { rule: "key shown", what: `${method} ${origin}${path} went elsewhere` }
    if ((method === "POST") !== (idempotencyKey !== undefined)) {
      yield { rule: "stray key", what: `${method} ${path} with the key ${idempotencyKey}` }
    }
    if (idempotencyKey === undefined) continue
    const use = `${path} ${body}`
    if ((uses.get(idempotencyKey) ?? use) !== use)
      yield { rule: "stray key", what: `${idempotencyKey} for two creates` }
    uses.set(idempotencyKey, use)
    if ((opening.get(idempotencyKey) ?? Number.POSITIVE_INFINITY) > at_ms) {
      yield { rule: "not in the ledger first", what: `${method} ${path} ${body}` }
    }
  }
  const shown = (where: string, value: string): ReadonlyArray<Violation> =>
    value.includes(apiKey) ? [{ rule: "key shown", what: where }] : []
  for (const log of logs) yield* shown("a log", log)
  for (const entry of told) {
    if (Exit.isFailure(entry.exit))
      yield* shown("an error", `${inspect(entry.exit.cause, { depth: 9 })} ${JSON.stringify(entry.exit.cause)}`)
  }
  yield* shown("the ledger", JSON.stringify(ledger))
  yield* shown("the journal", JSON.stringify(journal.map((row) => ({ ...row, seq: 0 }))))
  for (const oracle of ["key-in-url", "key-sent-elsewhere"] as const) yield* found(verdicts, oracle, "key shown")
}

function* found(
  verdicts: History["verdicts"],
  oracle: Oracle,
  rule: Rule,
  isOurs: (resource: string | null) => boolean = () => true
): Iterable<Violation> {
  const verdict = verdicts.verdicts.find((each) => each.oracle === oracle)
  for (const { resource, sentence } of verdict?.findings ?? []) {
    if (isOurs(resource)) yield { rule, what: sentence }
  }
}

/** When the answer of a request allows the next one of its call. */
const notBefore = ({ answered_ms, date, retryAfter }: Sent): number => {
  if (answered_ms === undefined || retryAfter === undefined) return 0
  if (/^\d+$/u.test(retryAfter)) return answered_ms + Number(retryAfter) * 1000
  return answered_ms + Math.max(0, Date.parse(retryAfter) - Date.parse(date ?? ""))
}

/** Reads are tried five times, creates as often; a stop is tried for two minutes. */
const mostAttempts = 5

function* manners(history: History): Iterable<Violation> {
  const { sent, sentBeforeClose, verdicts } = history
  for (const [call, attempts] of groupBy(sent, ({ requestId }) => requestId)) {
    if (attempts.length > mostAttempts && attempts[0]?.method !== "PATCH")
      yield { rule: "too many attempts", what: `${attempts.length} of call ${call}` }
    for (const [index, attempt] of attempts.entries()) {
      const before = attempts[index - 1]
      if (before !== undefined && attempt.at_ms < notBefore(before)) {
        yield {
          rule: "too early",
          what: `${attempt.method} ${attempt.path} at ${attempt.at_ms}, asked for ${notBefore(before)}`
        }
      }
    }
  }
  // what one create was told says nothing of another
  yield* found(verdicts, "retry-after-ignored", "too early", (resource) => resource !== null)
  yield* found(verdicts, "polls-after-terminal", "request too late")
  for (const { method, path } of sent.slice(sentBeforeClose)) {
    yield { rule: "request too late", what: `${method} ${path} after the client was closed` }
  }
  const hit = groupBy(history.journal, (row) => (row.type === "fault" ? (row.resource ?? undefined) : undefined))
  for (const [path, polls] of groupBy(sent, ({ method, path }) => (method === "GET" ? path : undefined))) {
    const id = path.split("/")[4] ?? ""
    const failed = polls.filter(({ status }) => status !== 200).length + (hit.get(id)?.length ?? 0)
    const waited_ms = (polls.at(-1)?.at_ms ?? 0) - (polls[0]?.at_ms ?? 0)
    // a pause is never below 0.9 s; a failed poll is made again; two more begin and end a wait
    const most = 3 + waited_ms / 900 + failed
    if (polls.length > most) yield { rule: "too many polls", what: `${polls.length} of ${path} in ${waited_ms} ms` }
  }
}

/** Everything that a client has done wrong in a world. */
export const violationsOf = (history: History): ReadonlyArray<Violation> => {
  const { fibers, unended, world } = history
  return [
    ...existence(history),
    ...keys(history),
    ...manners(history),
    ...(unended
      ? [{ rule: "no end", what: `${world.intents.length} intents, at ${history.ended_ms} ms` } as const]
      : []),
    ...(fibers === 0 ? [] : [{ rule: "fibers left", what: `${fibers}` } as const])
  ]
}

/** How an intent ended, for the counts. */
export const endOf = (
  told: Told
): "delivered" | "interrupted" | "outcome unknown" | "refused" | "redirected" | "other" => {
  if (Exit.isSuccess(told.exit)) return "delivered"
  if (told.interrupted) return "interrupted"
  const error = errorOf(told)
  if (error instanceof CreateOutcomeUnknown) return "outcome unknown"
  if (isRedirect(error)) return "redirected"
  return error instanceof Error && "_tag" in error ? "refused" : "other"
}
