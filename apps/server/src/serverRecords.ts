import { AdminClient, type CancelledRuns, NotFoundError, type Run, type features } from "@webagent/admin"
import { unreachable, usage } from "@webagent/cli/UserError"
import { KeyNameTaken } from "@webagent/engine"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerFetch, makeAsk, pageRows, type Server, walk } from "./adminRequest.ts"
import { type ListedRun, mostBrowsers, mostRuns, Records } from "./records.ts"
import { program } from "./program.ts"

/** Unfinished runs, in the order in which a run has these statuses: a run that moves on meanwhile isn't missed. */
const openStatuses = ["queued", "dispatching", "running"] as const

const openBrowserStatuses = ["starting", "active"] as const

const millis = (instant: string) => Date.parse(instant)

const runOf = (run: Run): ListedRun => {
  const { createdAt, error, finishedAt, id, model, node, owner, reason, sessionId, status, steps, task } = run
  return {
    id,
    status,
    reason,
    error,
    // the node of a run that waits or is finished had it before
    node: status === "dispatching" || status === "running" ? node : null,
    sessionId,
    owner,
    model,
    cost: run.totalCostUsd,
    steps,
    createdAt_ms: millis(createdAt),
    finishedAt_ms: finishedAt === null ? null : millis(finishedAt),
    task
  }
}

/** Rows of several lists that are each newest first, oldest first; of a row that is in two of them, the later one. */
const oldestFirst = <Row extends { readonly id: string }>(
  lists: ReadonlyArray<ReadonlyArray<Row>>,
  at_ms: (row: Row) => number
) =>
  [...new Map(lists.flatMap((rows) => rows.toReversed().map((row) => [row.id, row] as const))).values()].toSorted(
    (a, b) => at_ms(a) - at_ms(b)
  )

/** Connects to a server, which also checks its key. */
const connect = Effect.fnUntraced(function* (server: Server) {
  const { address, keyFrom } = server
  const admin = yield* AdminClient.make({ baseUrl: address, apiKey: server.key })
  const ask = makeAsk(server)
  const { data, has, key, version } = yield* ask(admin.server.get())

  const missing = (feature: (typeof features)[number]) =>
    has.includes(feature)
      ? Effect.void
      : Effect.fail(
          unreachable(
            `${address} (webagent-server ${version}) has no ${feature} in its admin API`,
            ". Use --data there."
          )
        )
  const others = Console.error(
    `The API key in ${keyFrom} lacks the scope admin, so only the records of ${key.name} count.`
  )
  const lacking = unreachable(
    `The API key in ${keyFrom} lacks the scope admin`,
    `, which this command needs. Create one that has it: ${program} keys create --data FILE --name ops --scope admin`
  )

  const nodes = Effect.map(
    Effect.suspend(() => ask(admin.nodes.list())),
    (all) => all.map(({ startedAt, ...node }) => ({ ...node, startedAt_ms: millis(startedAt) }))
  )
  return {
    address,
    admin,
    ask,
    data,
    nodes,
    /** For an operation that other keys may use as well, for their own records. */
    seen: (feature: (typeof features)[number]) => Effect.andThen(missing(feature), key.admin ? Effect.void : others),
    needsAdmin: (feature: (typeof features)[number]) =>
      Effect.andThen(missing(feature), key.admin ? Effect.void : Effect.fail(lacking)),
    /** The node that releases a record: only a key with the scope `admin` sees whether it's running. */
    holderOf: Effect.fnUntraced(function* (node: string | null) {
      if (node === null) return null
      return { node, isRunning: key.admin ? (yield* nodes).some(({ id }) => id === node) : null }
    })
  }
})

type Connection = Effect.Success<ReturnType<typeof connect>>
type Parts = typeof Records.Service

/** A record that was deleted between two requests is unknown, like an id that no request can have. */
const unlessDeleted = <A, E, R>(id: string, end: (id: string) => Effect.Effect<A | undefined, E | NotFoundError, R>) =>
  id === "" || id.length > 200
    ? Effect.succeed(undefined)
    : Effect.catchIf(
        end(id),
        (error): error is NotFoundError => error instanceof NotFoundError,
        () => Effect.succeed(undefined)
      )

const makeRuns = ({ admin, ask, holderOf, seen }: Connection): Pick<Parts, "runs" | "cancelRun"> => {
  const list = (query: Parameters<typeof admin.runs.list>[0]["query"]) => ask(admin.runs.list({ query }))
  const open = Effect.map(
    Effect.forEach(openStatuses, (status) => walk((page) => list({ ...page, status }))),
    (lists) => oldestFirst(lists, ({ createdAt }) => millis(createdAt)).slice(0, mostRuns.open)
  )
  const cancel = Effect.fnUntraced(function* (id: string) {
    const { already, cancelled } = yield* ask(admin.runs.cancel({ payload: { ids: [id] } }))
    const changed = cancelled.length > 0
    if (!changed && already.length === 0) return undefined
    const { node, status } = yield* ask(admin.runs.get({ params: { run_id: id } }))
    return { id, status, changed, holder: changed ? yield* holderOf(node) : null }
  })
  return {
    runs: (isOpen) =>
      Effect.map(Effect.andThen(seen("runs"), isOpen ? open : walk(list, mostRuns.newest)), (rows) => rows.map(runOf)),
    cancelRun: (id) => Effect.andThen(seen("runs"), unlessDeleted(id, cancel))
  }
}

/** Open browsers, of a key or of all, the oldest first. */
const openBrowsers = ({ admin, ask }: Connection, owner: { readonly key?: string } = {}) =>
  Effect.map(
    Effect.forEach(openBrowserStatuses, (status) =>
      walk((page) => ask(admin.browsers.list({ query: { ...page, ...owner, status } })))
    ),
    (lists) => oldestFirst(lists, ({ startedAt }) => millis(startedAt))
  )

const makeBrowsers = (connection: Connection): Pick<Parts, "browsers" | "stopBrowser"> => {
  const { admin, ask, holderOf, seen } = connection
  const stop = Effect.fnUntraced(function* (id: string) {
    const { already, stopped } = yield* ask(admin.browsers.stop({ payload: { ids: [id] } }))
    const changed = stopped.length > 0
    if (!changed && already.length === 0) return undefined
    const { node, status } = yield* ask(admin.browsers.get({ params: { browser_id: id } }))
    return { id, status, changed, holder: changed ? yield* holderOf(node) : null }
  })
  return {
    browsers: Effect.map(Effect.andThen(seen("browsers"), openBrowsers(connection)), (all) =>
      all
        .slice(0, mostBrowsers)
        .map(({ id, node, owner, startedAt, status }) => ({ id, status, owner, node, startedAt_ms: millis(startedAt) }))
    ),
    stopBrowser: (id) => Effect.andThen(seen("browsers"), unlessDeleted(id, stop))
  }
}

const makeNodes = ({ address, admin, ask, data, needsAdmin, nodes }: Connection): Pick<Parts, "nodes" | "drain"> => ({
  nodes: Effect.andThen(needsAdmin("nodes"), nodes),
  drain: (node, draining) => {
    const params = { node_id: node }
    const request = Effect.suspend(() =>
      ask(draining ? admin.nodes.drain({ params }) : admin.nodes.undrain({ params }))
    )
    const problem =
      data === "postgres"
        ? `Node ${node} isn't running any more. List the nodes: ${program} nodes --server ${address}`
        : `${address} shares its database with no other node. Stop it: it finishes its running work first.`
    return Effect.andThen(needsAdmin("nodes"), request).pipe(
      Effect.catchTag("NotFoundError", () => Effect.fail(usage(problem))),
      Effect.asVoid
    )
  }
})

const makeKeys = (connection: Connection): Pick<Parts, "keys" | "createKey" | "revokeKey" | "stopOwned"> => {
  const { address, admin, ask, needsAdmin, seen } = connection
  const keys = Effect.map(
    Effect.suspend(() => ask(admin.keys.list())),
    (all) =>
      all.map(({ createdAt, lastUsedAt, revokedAt, usage: _usage, ...rest }) => ({
        ...rest,
        createdAt_ms: millis(createdAt),
        lastUsedAt_ms: lastUsedAt === null ? null : millis(lastUsedAt),
        revokedAt_ms: revokedAt === null ? null : millis(revokedAt)
      }))
  )
  return {
    keys: Effect.andThen(seen("keys"), keys),
    createKey: (request) =>
      Effect.andThen(needsAdmin("keys"), ask(admin.keys.create({ payload: request }))).pipe(
        Effect.map(({ secret }) => secret),
        Effect.catchTags({
          ConflictError: () => Effect.fail(new KeyNameTaken({ name: request.name })),
          NotFoundError: ({ detail }) => Effect.fail(usage(`${address} can't create a key: ${detail}.`))
        })
      ),
    revokeKey: (name) =>
      Effect.andThen(needsAdmin("keys"), ask(admin.keys.revoke({ params: { name } }))).pipe(
        Effect.as("revoked" as const),
        Effect.catchTags({
          ConflictError: ({ detail }) => Effect.fail(usage(`${detail}.`)),
          NotFoundError: () =>
            Effect.map(keys, (all) =>
              all.some((key) => key.name === name) ? ("already" as const) : ("unknown" as const)
            )
        })
      ),
    stopOwned: Effect.fnUntraced(function* (name) {
      const filter = { key: name }
      const stopped = { runs: 0, browsers: 0 }
      let next: string | null = null
      do {
        const cursor: { readonly cursor?: string } = next === null ? {} : { cursor: next }
        const outcome: CancelledRuns = yield* ask(admin.runs.cancel({ payload: { filter, ...cursor } }))
        stopped.runs += outcome.cancelled.length
        next = outcome.next
      } while (next !== null)
      const ids = (yield* openBrowsers(connection, filter)).map(({ id }) => id)
      for (let from = 0; from < ids.length; from += pageRows) {
        const outcome = yield* ask(admin.browsers.stop({ payload: { ids: ids.slice(from, from + pageRows) } }))
        stopped.browsers += outcome.stopped.length
      }
      return { ...stopped, isComplete: true }
    })
  }
}

/** The records of a running server, over its admin API. */
export const layer = (server: Server) =>
  Layer.effect(
    Records,
    Effect.map(connect(server), (connection) =>
      Records.of({
        name: server.address,
        flag: `--server ${server.address}`,
        ...makeRuns(connection),
        ...makeBrowsers(connection),
        ...makeNodes(connection),
        ...makeKeys(connection)
      })
    )
  ).pipe(Layer.provide(layerFetch))
