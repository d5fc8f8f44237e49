/** Checks every promise that clients got against the stored records, whichever node died. */
import { type Browser, Decide, type StoredEvent, Turn } from "@webagent/engine"
import { nanoOf, type Sums } from "./Observer.ts"

/** A create with a key, and the answers to it. */
export interface Asked {
  readonly kind: "run" | "message" | "browser"
  readonly key: string
  /** Every id that an answer had: of a run, or of a browser. */
  readonly ids: Set<string>
}

/** The evidence at the end. */
export interface Evidence {
  readonly asked: ReadonlyArray<Asked>
  /** Every event, by its cursor. */
  readonly events: ReadonlyArray<StoredEvent>
  readonly turns: ReadonlyArray<Turn.Turn>
  readonly browsers: ReadonlyArray<Browser.Browser>
  /** Runs whose session a client deleted. */
  readonly deleted?: ReadonlySet<string>
  /** Sessions that some node holds although nothing is left to do. */
  readonly held: ReadonlyArray<string>
  /** The ids of the nodes that live. */
  readonly nodes: ReadonlyArray<string>
  /** True if runs may fail with their node. */
  readonly losses: boolean
  /** Runs that may fail for another reason, by that failure. */
  readonly mayFail?: ReadonlyMap<string, string>
}

const isAtWork = (status: string | undefined) => status === "dispatching" || status === "running"

/** The promises that one session's events break, in their order. */
const brokenSession = (turns: ReadonlyArray<Turn.Turn>, events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const turnById = new Map(turns.map((turn) => [turn.id, turn]))
  const now = new Map<string, Turn.TurnStatus>()
  const counts = new Map<string, number>()
  for (const { event } of events) {
    const { from, id } = event
    const to = event.to as Turn.TurnStatus
    const before = now.get(id) ?? null
    if (before !== from) broken.push(`run ${id} went from ${from} to ${to} although it was ${before}`)
    if (before !== null && Turn.isTerminal(before)) broken.push(`run ${id} was ${to} after it was ${before}`)
    if (to === "dispatching") {
      const open = [...now].flatMap(([each, status]) => {
        const turn = turnById.get(each)
        return turn === undefined ? [] : [{ ...turn, status }]
      })
      const other = open.find((turn) => turn.id !== id && isAtWork(turn.status))
      if (other !== undefined) broken.push(`run ${id} began while ${other.id} was ${other.status}`)
      const first = Decide.next(open)
      if (before === "queued" && first !== undefined && first.id !== id) {
        broken.push(`run ${id} began before ${first.id}, which was first`)
      }
    }
    now.set(id, to)
    const count = (counts.get(`${id} ${to}`) ?? 0) + 1
    counts.set(`${id} ${to}`, count)
    if (count > 1 && (to === "running" || Turn.isTerminal(to))) broken.push(`run ${id} was ${to} ${count} times`)
  }
  for (const turn of turns) {
    if (now.get(turn.id) !== turn.status) broken.push(`run ${turn.id} is ${turn.status}, and was told to be otherwise`)
  }
  return broken
}

const brokenTurn = (turn: Turn.Turn, losses: boolean, mayFail: string | undefined): ReadonlyArray<string> => {
  if (!Turn.isTerminal(turn.status)) return [`run ${turn.id} is ${turn.status} for ever`]
  if (turn.status === "failed" && (turn.failure === null || turn.error === null)) {
    return [`run ${turn.id} failed without a reason`]
  }
  if (turn.status === "cancelled" && turn.cancel === null) return [`run ${turn.id} was cancelled without a reason`]
  const isLost = turn.failure === "node_lost" || turn.failure === "node_closed"
  if (turn.status === "failed" && !(isLost && losses) && turn.failure !== mayFail)
    return [`run ${turn.id} failed: ${turn.failure}, ${turn.error}`]
  return []
}

const brokenBrowser = (browser: Browser.Browser, nodes: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (browser.status === "stopped") {
    return browser.stopReason === null ? [`browser ${browser.id} stopped without a reason`] : []
  }
  return browser.node !== null && nodes.includes(browser.node)
    ? []
    : [`browser ${browser.id} is ${browser.status} at a node that is gone`]
}

/** A node was killed, stopped or frozen. */
export interface Hit {
  readonly at_ms: number
  /** The end of a freeze; Infinity before that. */
  thawedAt_ms?: number
  /** The name of the node. */
  readonly name: string
}

/** True if a turn's node was killed or frozen while it had the turn. */
export const isTouched = (
  { dispatchedAt_ms, finishedAt_ms }: Pick<Turn.Turn, "dispatchedAt_ms" | "finishedAt_ms">,
  node: string | undefined,
  hits: ReadonlyArray<Hit>
): boolean =>
  node !== undefined &&
  hits.some(
    ({ at_ms, name }) =>
      node.startsWith(`${name}.`) && at_ms >= (dispatchedAt_ms ?? 0) && at_ms <= (finishedAt_ms ?? Infinity)
  )

/** Every promise that is broken, as a sentence; none when all hold. */
export const violationsOf = ({
  asked,
  browsers,
  deleted = new Set(),
  events,
  held,
  losses,
  mayFail,
  nodes,
  turns
}: Evidence): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const answered = new Map<"turn" | "browser", Set<string>>([
    ["turn", new Set()],
    ["browser", new Set()]
  ])
  for (const { ids, key, kind } of asked) {
    if (ids.size > 1) broken.push(`key ${key} made ${[...ids].join(" and ")}`)
    if (ids.size === 0) broken.push(`key ${key} was never answered`)
    for (const id of ids) answered.get(kind === "browser" ? "browser" : "turn")?.add(id)
  }
  const existing = { turn: new Set(turns.map(({ id }) => id)), browser: new Set(browsers.map(({ id }) => id)) }
  for (const kind of ["turn", "browser"] as const) {
    for (const id of answered.get(kind) ?? []) {
      if (!existing[kind].has(id) && !deleted.has(id)) broken.push(`${kind} ${id} is gone`)
    }
  }
  for (const id of deleted) if (existing.turn.has(id)) broken.push(`run ${id} is there although it was deleted`)
  for (const { id, owner, task } of turns) {
    if (!answered.get("turn")?.has(id)) broken.push(`run ${id} is of no create: ${task.slice(0, 60)}, by ${owner}`)
  }
  for (const { id, metadata, sessionId, stopReason } of browsers) {
    // a session makes the browser of its runs, and a create without a key is checked by its metadata
    if (
      metadata["create"] === undefined &&
      sessionId === null &&
      stopReason !== "launch_failed" &&
      !answered.get("browser")?.has(id)
    ) {
      broken.push(`browser ${id} is of no create`)
    }
  }
  for (const id of held) broken.push(`session ${id} is held although it has nothing to do`)
  for (const turn of turns) broken.push(...brokenTurn(turn, losses, mayFail?.get(turn.id)))
  for (const browser of browsers) broken.push(...brokenBrowser(browser, nodes))

  const turnsOf = Map.groupBy(turns, ({ sessionId }) => sessionId)
  const eventsOf = Map.groupBy(
    // a question, or a place in the queue, leaves the status as it is
    events.filter(
      ({ event: { browserQueue, control, of, question } }) =>
        of === "turn" && browserQueue === undefined && control === undefined && question === undefined
    ),
    ({ event }) => event.sessionId ?? ""
  )
  for (const [id, all] of turnsOf) broken.push(...brokenSession(all, eventsOf.get(id) ?? []))
  return broken
}

/** The largest numbers of open records that one moment had, by the kind and the owner. */
export type Peaks = ReadonlyMap<string, number>

/** A limit of a key that was exceeded at some moment. */
export const aboveLimit = (
  peaks: Peaks,
  { most, of, owner }: { readonly of: "runs" | "browsers"; readonly owner: string; readonly most: number }
): ReadonlyArray<string> => {
  const peak = peaks.get(`${of} ${owner}`) ?? 0
  return peak > most ? [`${owner} had ${peak} ${of} at once, and may have ${most}`] : []
}

/**
 * Browsers that a node had above its room, by the events in their order. Two kinds of browsers may be stopped before that
 * is stored: those whose time is over, and those of a node that was frozen for too long. It stops them when it wakes, and
 * other nodes store that they were lost with it.
 */
export const aboveRoom = (
  browsers: ReadonlyArray<Browser.Browser>,
  events: ReadonlyArray<StoredEvent>,
  most: number,
  hits: ReadonlyArray<Hit>
): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const browserById = new Map(browsers.map((browser) => [browser.id, browser]))
  const active = new Map<string, Map<string, number>>()
  for (const { event } of events) {
    const { at_ms, id, of, to } = event
    const node = of === "browser" ? browserById.get(id)?.node : undefined
    if (node === undefined || node === null) continue
    const here = active.get(node) ?? new Map<string, number>()
    active.set(node, here)
    if (to === "stopped") here.delete(id)
    else if (to === "active") {
      const freezes = hits.filter(({ name, thawedAt_ms }) => thawedAt_ms !== undefined && node.startsWith(`${name}.`))
      for (const [other, since_ms] of here) {
        const { expiresAt_ms = null, stopReason } = browserById.get(other) ?? {}
        const isExpired = stopReason === "expired" && expiresAt_ms !== null && expiresAt_ms <= at_ms
        const isLost =
          stopReason === "node_lost" && freezes.some((freeze) => freeze.at_ms > since_ms && freeze.at_ms < at_ms)
        if (isExpired || isLost) here.delete(other)
      }
      here.set(id, at_ms)
      if (here.size > most) broken.push(`browser ${id} is number ${here.size} of ${node}, which has ${most}`)
    }
  }
  return broken
}

/** Browsers that ran for the same create, whose key their metadata has. One without a place leaves it to the next one. */
export const twiceCreated = (
  browsers: ReadonlyArray<Browser.Browser>,
  events: ReadonlyArray<StoredEvent>
): ReadonlyArray<string> => {
  const active = new Set(
    events.flatMap(({ event: { id, of, to } }) => (of === "browser" && to === "active" ? [id] : []))
  )
  const ran = browsers.filter(({ id, metadata }) => metadata["key"] !== undefined && active.has(id))
  return [...Map.groupBy(ran, ({ metadata }) => metadata["key"])].flatMap(([key, some]) =>
    some.length < 2 ? [] : [`browsers ${some.map(({ id }) => id).join(" and ")} ran for key ${key}`]
  )
}

/** Browsers that could write to a profile while another one could. */
export const sharedWriters = (
  browsers: ReadonlyArray<Browser.Browser>,
  events: ReadonlyArray<StoredEvent>
): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const profileOf = new Map(
    browsers.flatMap(({ id, profile }) => (profile?.mode === "write" ? [[id, profile.id] as const] : []))
  )
  const writers = new Map<string, string>()
  for (const { event } of events) {
    const profile = event.of === "browser" ? profileOf.get(event.id) : undefined
    if (profile === undefined) continue
    const writer = writers.get(profile)
    if (event.to === "stopped") {
      if (writer === event.id) writers.delete(profile)
    } else if (event.from === null) {
      if (writer !== undefined) broken.push(`browser ${event.id} writes to profile ${profile}, as ${writer} does`)
      writers.set(profile, event.id)
    }
  }
  return broken
}

/** Counts and sums of lists that differ from the turns and from the cost of deleted ones. */
export const wrongSums = (
  sums: Sums,
  turns: ReadonlyArray<Turn.Turn>,
  deleted: ReadonlyMap<string, number>
): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const all = Object.groupBy(turns, ({ status }) => status)
  for (const [status, count] of Object.entries(sums.counts)) {
    const right = all[status as Turn.TurnStatus]?.length ?? 0
    if (count !== right) broken.push(`lists count ${count} runs that are ${status}, and there are ${right}`)
  }
  const finished = turns.length + deleted.size
  if (sums.turns !== finished) broken.push(`the cost by day is of ${sums.turns} runs, and there were ${finished}`)
  const nano = [...turns.map(({ cost }) => nanoOf(cost)), ...deleted.values()].reduce((sum, each) => sum + each, 0)
  if (sums.nano !== nano) broken.push(`the cost by day is ${sums.nano} billionths of a USD, and the runs cost ${nano}`)
  return broken
}

/** When a node was lost, and its turns at work. */
export interface Loss {
  readonly at_ms: number
  /** The turns that it had at work. */
  readonly turns: ReadonlyArray<string>
}

/** Time that each turn of a lost node waited until another node handled it: it finished, or started again. */
export const takeovers = (losses: ReadonlyArray<Loss>, events: ReadonlyArray<StoredEvent>): ReadonlyArray<number> => {
  const eventsOf = Map.groupBy(events, ({ event }) => event.id)
  return losses.flatMap(({ at_ms, turns }) =>
    turns.flatMap((id) => {
      const next = eventsOf.get(id)?.find(({ event }) => event.at_ms > at_ms)
      // turns that a client cancelled tell nothing about nodes
      if (next === undefined || !["failed", "queued", "dispatching"].includes(next.event.to)) return []
      return [next.event.at_ms - at_ms]
    })
  )
}
