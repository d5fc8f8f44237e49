import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { BrowserControl } from "./BrowserControl.ts"
import type { Browsers } from "./Browsers.ts"
import type { OpenedSecret } from "./domain/BoundSecret.ts"
import type { BrowserQueue } from "./domain/BrowserQueue.ts"
import type * as Decide from "./domain/Decide.ts"
import type { SessionNotFound } from "./domain/Errors.ts"
import type { Session } from "./domain/Session.ts"
import * as Turn from "./domain/Turn.ts"
import { AgentError, type Attempt, type Execution, type LeaseLost } from "./ports/Agent.ts"
import { BrowserPool, type LaunchFailed } from "./ports/BrowserPool.ts"
import * as HandOvers from "./HandOvers.ts"
import { LiveViews } from "./ports/LiveViews.ts"
import { isFileName } from "./domain/Workspace.ts"
import { Owner } from "./ports/Owner.ts"
import { Recordings } from "./ports/Recordings.ts"
import { SecretBox } from "./ports/SecretBox.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import { Workspaces } from "./ports/Workspaces.ts"
import * as Pauses from "./Pauses.ts"
import * as PlaceReports from "./PlaceReports.ts"
import { queuedLaunch } from "./QueuedLaunch.ts"
import { storeRetries } from "./storeRetries.ts"

/** A step of an agent, and the browser in which it is done. */
interface BrowserStep {
  readonly browserId: string | null
  readonly step: Turn.TurnStep
}

/** Access of attempts to the node that runs the session. */
interface Holder {
  readonly browsers: Browsers
  readonly control: BrowserControl
  readonly find: (sessionId: string) => Effect.Effect<Session, SessionNotFound | StoreUnavailable>
  /** Has the turn of this agent go back to the queue when the agent ends. */
  readonly giveBack: (execution: Execution) => void
  /** Commits what the agent says; fails when the agent must not go on. */
  readonly told: (execution: Execution, command: Decide.Command) => Effect.Effect<Decide.Decision, LeaseLost>
}

/**
 * Number of steps of all browsers that are stored for new viewers, and the number that a slow viewer may lag behind.
 */
const kept = { replay: 1024, capacity: 256 }

/** Failures of launches whose runs go back to the queue, because another node or another start may have a browser. */
const elsewhere: ReadonlySet<LaunchFailed["reason"]> = new Set(["draining", "moved", "lost"] as const)

/** Reads the store, during an outage once it's there again: a run doesn't fail because it begins in one. */
const readInsistently = <A, E extends { readonly _tag: string }>(reading: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.orDie(Effect.retry(reading, { schedule: storeRetries, while: ({ _tag }) => _tag === "StoreUnavailable" }))

/** Makes what agents in fibers are given, and publishes their steps. */
export const make = Effect.fnUntraced(function* ({ browsers, control, find, giveBack, told }: Holder) {
  const store = yield* Store
  const pool = yield* BrowserPool
  const recordings = yield* Recordings
  const views = yield* LiveViews
  const workspaces = yield* Workspaces
  const box = yield* SecretBox
  // most nodes that live a short time, as in simulations, never have a step
  const steps = yield* Effect.cached(PubSub.sliding<BrowserStep>(kept))
  const publish = (seen: BrowserStep) => Effect.flatMap(steps, (published) => PubSub.publish(published, seen))
  const places = yield* PlaceReports.make
  const handOvers = HandOvers.make({ control, store })
  /** The step that an agent here is in. */
  const open = new WeakMap<Execution, BrowserStep>()

  const attempt = Effect.fnUntraced(function* (
    execution: Execution,
    cancelled: Attempt["cancelled"]
  ): Effect.fn.Return<Attempt> {
    const { sessionId, token, turn } = execution
    const session = yield* readInsistently(find(sessionId))
    let { browserId } = session
    let domains: ReadonlyArray<string> | null = null
    let pictures = turn.steps
    const { paused_ms, pausing } = Pauses.make()
    const { ask, handedOver, progress } = handOvers.of(execution, {
      browserId: () => browserId,
      pausing,
      report: (progress) => told(execution, { _tag: "Progress", token, progress })
    })
    const inStep = Effect.fnUntraced(function* (reported: Decide.Progress) {
      const { turnSteps } = yield* progress(reported)
      for (const step of turnSteps) {
        const seen = { browserId, step }
        if (step.ended === undefined) open.set(execution, seen)
        else open.delete(execution)
        yield* publish(seen)
      }
    })
    const { paused, untilFree } = Pauses.whileDriven(control, pausing, () => browserId)
    if (turn.status === "running") {
      // a turn that waited for a person at another node can be in a step
      const step = (yield* readInsistently(store.stepsOf(turn.id))).at(-1)
      if (step !== undefined && step.ended === undefined) open.set(execution, { browserId, step })
    }
    const queued = {
      turn,
      places,
      timeout_ms: pool.queueTimeout_ms,
      // a run that has begun can't begin again elsewhere
      isMovable: Effect.map(
        Effect.option(store.turn(turn.id)),
        (stored) => Option.getOrUndefined(Option.flatten(stored))?.status === "dispatching"
      ),
      report: (queue: BrowserQueue) => told(execution, { _tag: "Wait", token, queue })
    }
    return {
      session,
      cancelled,
      budget: turn.budget,
      secrets: Effect.forEach(turn.secrets ?? [], ({ alias, domains, sealed, server }) => {
        if (sealed === null) return Effect.succeed<OpenedSecret>({ alias, domains, server, value: null })
        return box.open(sealed, { owner: turn.owner, turnId: turn.id, alias }).pipe(
          Effect.map((value): OpenedSecret => ({ alias, domains, server, value })),
          Effect.mapError(({ message }) => new AgentError({ message: `${message}. Create a new run.` }))
        )
      }),
      attached:
        workspaces === null || turn.files === undefined
          ? Effect.succeed([])
          : readInsistently(Effect.provideService(workspaces.filesById(turn.files.ids), Owner, turn.owner)),
      attach: (name, size, bytes) =>
        workspaces === null || !isFileName(name)
          ? Effect.succeed(false)
          : workspaces.attach(turn, { path: name, contentType: "application/octet-stream" }, bytes, size).pipe(
              Effect.as(true),
              Effect.catch((error) =>
                Effect.as(Effect.logWarning(`A file of run ${turn.id} could not be stored`, error), false)
              )
            ),
      paused_ms,
      earlier: Effect.map(readInsistently(store.turnsOf(sessionId)), (turns) =>
        turns.filter(({ seq }) => seq < turn.seq)
      ),
      recorded: turn.replay === undefined ? Effect.succeed([]) : readInsistently(store.stepsOf(turn.replay.of)),
      browser: queuedLaunch(queued, (queue) =>
        browsers.ofSession(
          session,
          Effect.map(find(sessionId), ({ browserId }) => browserId),
          (id) => {
            const before = Effect.orElseSucceed(browsers.usedMb(browserId), () => "0")
            browserId = id
            return Effect.flatMap(before, (usedMb) =>
              told(execution, { _tag: "UseBrowser", token, browserId: id, usedMb })
            )
          },
          () => domains,
          queue
        )
      ).pipe(Effect.tapError(({ reason }) => Effect.sync(() => void (elsewhere.has(reason) && giveBack(execution))))),
      allowDomains: (allowed) =>
        Effect.suspend(() => {
          domains = allowed
          return browserId === null ? Effect.void : browsers.allowDomains(browserId, allowed)
        }),
      conceal: Effect.suspend(() => (browserId === null || views === null ? Effect.void : views.conceal(browserId))),
      step: Effect.fnUntraced(function* ({ checkpoint, picture: jpeg, ...seen }) {
        yield* paused
        const name = `${turn.id}-${++pictures}`
        const picture =
          jpeg === null || browserId === null || recordings === null
            ? null
            : yield* recordings.keep(browserId, name, jpeg)
        yield* inStep({ step: { ...seen, picture }, ...(checkpoint === undefined ? {} : { checkpoint }) })
      }),
      untilFree,
      stepEnded: (failure, details) =>
        Effect.suspend(() => {
          const seen = open.get(execution)
          return seen === undefined ? Effect.void : inStep({ ended: { step: seen.step, failure, details } })
          // the next step looks at the page as the person left it
        }).pipe(Effect.andThen(paused)),
      used: (used, call) => progress({ used, call }),
      checkpoint: (checkpoint) => progress({ checkpoint }),
      ask,
      handedOver
    }
  })

  return {
    attempt,
    wake: handOvers.wake,
    /** Publishes the end of the step that an agent was in when its turn ended. */
    cutShort: (execution: Execution, now_ms: number): Effect.Effect<void> => {
      const seen = open.get(execution)
      if (seen === undefined) return Effect.void
      return Effect.asVoid(publish({ ...seen, step: Turn.stepEnded(seen.step, now_ms, Turn.cutShort) }))
    },
    /** The last steps that agents here began in a browser, and each one from now on. */
    stepsIn: (browserId: string): Stream.Stream<Turn.TurnStep> =>
      Stream.unwrap(Effect.map(steps, Stream.fromPubSub)).pipe(
        Stream.filter((seen) => seen.browserId === browserId),
        Stream.map(({ step }) => step)
      )
  }
})
