import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Browsers } from "./Browsers.ts"
import type { Commits } from "./Commits.ts"
import { Agent } from "./ports/Agent.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import { Work } from "./ports/Work.ts"
import type { RunningAgents } from "./RunningAgents.ts"
import type { Takes } from "./Takes.ts"

/** Time between two looks in nanoseconds: 8 seconds, because a commit may take 6. */
const every_ns = 8_000_000_000n

interface LateCommitsOptions extends Pick<Commits, "change"> {
  readonly agents: Pick<RunningAgents, "get">
  readonly browsers: Pick<Browsers, "reap">
  readonly takes: Pick<Takes, "isTaking">
}

/**
 * Makes the look for records that a slow database stored after this node had given up their commits: leases of this node
 * without an agent here, and browsers of this node that it isn't launching. No other node would end or take over either
 * of them while this one lives.
 */
export const make = Effect.fnUntraced(function* ({ agents, browsers, change, takes }: LateCommitsOptions) {
  const { resumes } = yield* Agent
  const work = yield* Work
  const store = yield* Store
  const node = yield* NodeId
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context())
  /** The forgotten leases of the last look: their tokens by session. A lease is released if two looks find it. */
  let found: ReadonlyMap<string, number> = new Map()
  let lookedAt_ns: bigint | undefined

  /** Releases this lease alone. While this node drains, another one then takes the session. */
  const release = (id: string, token: number) =>
    change(id, { _tag: "GiveBack", token, resumes }).pipe(
      Effect.andThen(
        Effect.logWarning(`Session ${id} was leased to this node without its knowledge. The lease was released.`)
      ),
      Effect.andThen(work.offered(id)),
      // a later look finds a lease that could not be released
      Effect.ignore
    )

  const lookAtStore: Effect.Effect<void, StoreUnavailable> = Effect.gen(function* () {
    const forgotten = new Map<string, number>()
    for (const { id, lease } of yield* store.leasedTo(node)) {
      if (lease === null || agents.get(id) !== undefined || takes.isTaking(id)) continue
      forgotten.set(id, lease.token)
      if (found.get(id) === lease.token) fork(release(id, lease.token))
    }
    found = forgotten
    for (const id of yield* store.startingAt(node)) yield* browsers.reap(id)
  })
  return Effect.suspend(() => {
    const now_ns = clock.monotonicTimeNanosUnsafe()
    if (lookedAt_ns !== undefined && now_ns - lookedAt_ns < every_ns) return Effect.void
    lookedAt_ns = now_ns
    return lookAtStore
  })
})
