import { type Node as View, NotFoundError } from "@webagent/admin"
import { fromMillis } from "@webagent/contract"
import { BrowserPool, Engine, type Node, NodeId, nodeNameIn, Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Monitoring } from "../endpoints/Monitoring.ts"
import { version } from "../endpoints/Version.ts"
import { Installation } from "./Installation.ts"
import { StartedAt } from "./StartedAt.ts"
import { group } from "./Operations.ts"

/** Room of a pool without a limit, and the most runs and browsers that are counted. */
const unlimited = 1_000_000

/** The nodes that share the store. */
export const layer = group("nodes", function* (handlers) {
  const store = Option.getOrUndefined(yield* Effect.serviceOption(Store))
  const pool = Option.getOrUndefined(yield* Effect.serviceOption(BrowserPool))
  const { lists } = yield* Engine
  const { loads } = yield* Installation
  const { health } = yield* Monitoring
  const self = yield* NodeId
  const startedAt_ms = yield* StartedAt

  /** This server, as the only node of a store that it has to itself. */
  const alone = Effect.gen(function* (): Effect.fn.Return<Node> {
    const room = yield* pool?.room ?? Effect.succeed(unlimited)
    const { status } = yield* health
    const draining = status === "draining"
    return { id: self, name: nodeNameIn(self), address: null, room, draining, startedAt_ms, version }
  })
  const all = Effect.flatMap(store?.nodes ?? Effect.succeed([]), (nodes) =>
    nodes.length === 0 ? Effect.map(alone, (node) => [node]) : Effect.succeed(nodes)
  )
  /** The load of a server that has its store to itself. */
  const ownLoad = Effect.zipWith(
    lists.turnCounts({}, unlimited),
    lists.browserCounts({}, unlimited),
    ({ dispatching, running }, { active, starting }) =>
      new Map([[self, { sessions: dispatching.count + running.count, browsers: starting.count + active.count }]])
  )
  const viewOf = Effect.map(
    loads ?? ownLoad,
    (loadOf) =>
      ({ address, draining, id, name, room, startedAt_ms, version }: Node): View => ({
        id,
        name,
        address,
        draining,
        room,
        sessions: loadOf.get(id)?.sessions ?? 0,
        browsers: loadOf.get(id)?.browsers ?? 0,
        startedAt: fromMillis(startedAt_ms),
        ...(version === undefined ? {} : { version })
      })
  )

  const drain = Effect.fnUntraced(function* (id: string, draining: boolean) {
    const isDone = store !== undefined && (yield* store.drain(id, draining))
    const node = isDone ? (yield* all).find((node) => node.id === id) : undefined
    if (node === undefined) {
      return yield* new NotFoundError({
        detail: `No node that shares a store has the id ${id}. Take one of the list`
      })
    }
    return (yield* viewOf)(node)
  })

  return handlers.handleAll({
    list: () => Effect.zipWith(all, viewOf, (nodes, view) => nodes.map(view)),
    drain: ({ params }) => drain(params.node_id, true),
    undrain: ({ params }) => drain(params.node_id, false)
  })
})
