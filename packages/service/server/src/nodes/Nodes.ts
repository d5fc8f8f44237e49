import {
  BrowserPool,
  type Node,
  NodeId,
  nodeNameIn,
  nodePlacesIn,
  nodeStartIn,
  Store,
  type StoreUnavailable,
  Work
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Signature from "./Signature.ts"

/** Maximum age of the list of nodes for requests that do not depend on it. */
const maxAge = "1 second"

/**
 * The other node that has something; `silent` if it does not renew its lease and is not lost yet. Undefined for what is
 * here, or was at a node that is lost.
 */
type Owner = Effect.Effect<Node | "silent" | undefined, StoreUnavailable>

/** Finds the other nodes, and signs requests to them. */
export interface NodesService {
  /** The start in the id of this node, by which clients may know it. */
  readonly start: string
  /** True if this node can launch browsers: it currently has room, its lease is valid, and it is not draining. */
  readonly hasRoom: Effect.Effect<boolean, StoreUnavailable>
  /** True if this node is draining, and if another node exists that is not. */
  readonly drain: Effect.Effect<{ readonly isDraining: boolean; readonly hasOthers: boolean }, StoreUnavailable>
  /** The other nodes that can start a browser: the one with the most room first, those where an idle one gives way last. */
  readonly withRoom: Effect.Effect<ReadonlyArray<Node>, StoreUnavailable>
  /** The node on which a browser runs. */
  readonly ofBrowser: (id: string) => Owner
  /** The node that has the files of a browser, even if the browser is stopped and its node was restarted. */
  readonly ofFiles: (browserId: string) => Owner
  /** The node that has the files of a session's browser. */
  readonly ofSessionFiles: (id: string) => Owner
  /** The node on which a session is running; otherwise, the node of its browser. */
  readonly ofSession: (id: string) => Owner
  /** The node with this start in its id, if it is another one. */
  readonly withStart: (start: string) => Owner
  /** True if a browser runs on another node; called often. */
  readonly isElsewhere: (browserId: string) => Effect.Effect<boolean, StoreUnavailable>
  /** Waits until a node's lease has run out. */
  readonly lost: (id: string) => Effect.Effect<void>
  /** The value of the header `Signature.header` with which a request is this node's to another one. */
  readonly sign: (to: string, request: Signature.Signed) => Effect.Effect<string>
  /** Checks that header of a request. */
  readonly check: (request: Signature.Signed, value: string | undefined) => Effect.Effect<Signature.Claim>
}

/** The other nodes, for a server that shares its store with them; null for one that has its store to itself. */
export const Nodes: Context.Reference<NodesService | null> = Context.Reference("@webagent/server/Nodes", {
  defaultValue: (): NodesService | null => null
})

/** The nodes of a store. All have the same secret, of random bytes. */
export const layer = (secret: Uint8Array): Layer.Layer<never, never, BrowserPool | Store | Work> =>
  Layer.effect(
    Nodes,
    Effect.gen(function* () {
      const store = yield* Store
      const self = yield* NodeId
      const work = yield* Work
      const { room } = yield* BrowserPool
      const signature = Signature.make(secret, self)
      const others = Effect.map(store.nodes, (nodes) => nodes.filter(({ id }) => id !== self))
      const lately = yield* Effect.cachedWithTTL(others, maxAge)

      const withId = (nodes: ReadonlyArray<Node>, id: string | null) => nodes.find((node) => node.id === id)

      /** The first of the other nodes that fits, best match first; one that is silent and is not lost may only be late. */
      const first = (...fits: ReadonlyArray<(id: string) => boolean>): Owner =>
        Effect.gen(function* () {
          const find = (nodes: ReadonlyArray<Node>) => {
            for (const fit of fits) {
              const match = nodes.find(({ id }) => id !== self && fit(id))
              if (match !== undefined) return match
            }
            return undefined
          }
          const living = find(yield* store.nodes)
          if (living !== undefined) return living
          const late = find(yield* store.silent)
          return late === undefined || (yield* work.isLost(late.id)) ? undefined : "silent"
        })

      /** A node with this id, unless it is lost: one that is silent may only be late. */
      const at = (id: string | null, nodes: typeof others): Owner =>
        Effect.flatMap(nodes, (all): Owner => {
          const node = withId(all, id)
          if (node !== undefined || id === null) return Effect.succeed(node)
          return Effect.map(work.isLost(id), (isLost) => (isLost ? undefined : "silent"))
        })

      const runsAt = (browserId: string, nodes: typeof others): Owner =>
        Effect.gen(function* () {
          const browser = Option.getOrUndefined(yield* store.browser(browserId))
          if (browser === undefined || browser.status === "stopped" || browser.node === self) return undefined
          return yield* at(browser.node, nodes)
        })

      const ofFiles = Effect.fnUntraced(function* (browserId: string) {
        const { node = null } = Option.getOrUndefined(yield* store.browser(browserId)) ?? {}
        if (node === null || node === self) return undefined
        return yield* first(
          (id) => id === node,
          (id) => nodeNameIn(id) === nodeNameIn(node)
        )
      })

      const lost = (id: string): Effect.Effect<void> =>
        Effect.andThen(
          Effect.sleep(maxAge),
          Effect.matchEffect(at(id, lately), {
            // without an answer of the store, it is unknown
            onFailure: () => lost(id),
            onSuccess: (node) => (node === undefined ? Effect.void : lost(id))
          })
        )

      return {
        start: nodeStartIn(self),
        hasRoom: Effect.zipWith(
          room ?? Effect.succeed(1),
          store.node(self),
          (count, self) => count > 0 && Option.exists(self, ({ draining }) => !draining)
        ),
        drain: Effect.map(store.nodes, (nodes) => ({
          isDraining: withId(nodes, self)?.draining === true,
          hasOthers: nodes.some(({ draining, id }) => id !== self && !draining)
        })),
        withRoom: Effect.map(others, (nodes) =>
          nodes
            .filter((node) => nodePlacesIn(node) > 0 && !node.draining && node.address !== null)
            .toSorted((left, right) => right.room - left.room)
        ),
        ofBrowser: (id) => runsAt(id, others),
        ofFiles,
        ofSessionFiles: Effect.fnUntraced(function* (id) {
          const { browserId = null } = Option.getOrUndefined(yield* store.session(id)) ?? {}
          return browserId === null ? undefined : yield* ofFiles(browserId)
        }),
        ofSession: Effect.fnUntraced(function* (id) {
          const session = Option.getOrUndefined(yield* store.session(id))
          if (session === undefined) return undefined
          const { browserId, lease } = session
          if (lease !== null) return withId(yield* others, lease.node)
          const node = browserId === null ? undefined : yield* runsAt(browserId, others)
          // any node can take a message for a session
          return node === "silent" || node?.draining === true ? undefined : node
        }),
        withStart: (start) => first((id) => nodeStartIn(id) === start),
        isElsewhere: (browserId) => Effect.map(runsAt(browserId, lately), (node) => node !== undefined),
        lost,
        sign: (to, request) => Effect.map(Clock.currentTimeMillis, (now_ms) => signature.sign(to, request, now_ms)),
        check: (request, value) =>
          Effect.map(Clock.currentTimeMillis, (now_ms) => signature.check(value, request, now_ms))
      }
    })
  )
