import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { DueHeap } from "./DueHeap.ts"
import * as Elapsed from "./Elapsed.ts"
import * as Metrics from "./Metrics.ts"
import type { PollBudget } from "./PollBudget.ts"
import { type Member, plan, type Polled, PollLoop, statusOf } from "./PollLoop.ts"

/** The state of a resource that is polled. */
export interface PolledState<A> {
  /** The value of the poll before, if any. */
  readonly latest: A | undefined
  /**
   * Returns the first deadline of the waits.
   *
   * @returns The time in milliseconds, as `Elapsed.now_ms` counts.
   * @example
   * ```ts
   * import { Elapsed, Waiter } from "@webagent/polling"
   * import * as Effect from "effect/Effect"
   *
   * export const waiterFor = (nextStatus: (id: string, most_ms: number) => Effect.Effect<string>) =>
   *   Waiter.make({
   *     isTerminal: (status: string) => status === "done",
   *     check: (id, _, { deadline_ms }) => Effect.flatMap(Elapsed.now_ms, (now) => nextStatus(id, deadline_ms() - now))
   *   })
   * ```
   */
  readonly deadline_ms: () => number
  /** The longest pause before the next poll. A `check` that waits for news itself sets it to 0. */
  pause_ms: number
}

/** A kind of resource that is polled, and how to check one of them. */
export interface Polls<A, E> extends Polled<A, E> {
  readonly check: (id: string, requestId: string | undefined, polled: PolledState<A>) => Effect.Effect<A, E>
  /** Draws the request id of the next poll. `check` receives it, and the error of a wait names the last one. */
  readonly requestId?: Effect.Effect<string> | undefined
  /** On whose rate: a poll is begun when it allows; at once unless told. */
  readonly budget?: PollBudget["Service"] | undefined
}

/**
 * Runs all poll loops of a waiter with one timer and one queue: a wait between two polls is an entry in a heap, and
 * neither a fiber nor a timer of its own, so that ten thousand cost little.
 */
export class Poller<A, E> {
  private readonly loops = new Map<string, PollLoop<A, E>>()
  private readonly heap = new DueHeap<PollLoop<A, E>>()
  private readonly queue = new Set<PollLoop<A, E>>()
  private readonly odd = new Set<string>()
  private timer: Fiber.Fiber<void> | undefined
  private pacer: Fiber.Fiber<void> | undefined
  private wake = Deferred.makeUnsafe<void>()
  private sleepingUntil_ms = Number.NEGATIVE_INFINITY
  private closed = false
  private readonly polls: Polls<A, E>
  private readonly context: Context.Context<never>

  constructor(polls: Polls<A, E>, context: Context.Context<never>) {
    this.polls = polls
    this.context = context
  }

  /** The loop of an id, if someone waits for it. */
  find(id: string): PollLoop<A, E> | undefined {
    return this.loops.get(id)
  }

  /** Seats a member at the loop of its id, in one synchronous step: two waits never start two loops. */
  join(id: string, member: Member<A, E>, delay: Duration.Duration): void {
    Metrics.waitsActive.modifyUnsafe(1, this.context)
    if (this.closed) {
      this.ended()
      return member.onEnd(Exit.interrupt())
    }
    const loop = this.loops.get(id) ?? new PollLoop(id, this.polls, this.ended)
    this.loops.set(id, loop)
    loop.seat(member, delay)
    this.schedule(loop)
    this.timer ??= Effect.runForkWith(this.context)(this.runTimer())
  }

  /** Takes a member away. When the last one leaves, polling stops. */
  leave(id: string, member: Member<A, E>): void {
    const loop = this.loops.get(id)
    if (loop?.members.delete(member) !== true) return
    this.ended()
    this.dropIfEmpty(loop)
  }

  /** Counts that a member has been told its end, or has left. */
  private readonly ended = (): void => Metrics.waitsActive.modifyUnsafe(-1, this.context)

  /** Ends all waits, and all that come. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.closed = true
    const loops = Array.from(this.loops.values())
    const running = [this.timer, this.pacer, ...loops.map((loop) => loop.fiber)]
    for (const loop of loops) {
      loop.endAll(Exit.interrupt())
      this.dropIfEmpty(loop)
    }
    return Fiber.interruptAll(running.filter((fiber) => fiber !== undefined))
  })

  private dropIfEmpty(loop: PollLoop<A, E>): boolean {
    if (loop.phase === "over") return true
    if (loop.members.size > 0) return false
    loop.phase = "over"
    this.loops.delete(loop.id)
    this.heap.remove(loop)
    this.queue.delete(loop)
    loop.fiber?.interruptUnsafe()
    if (this.loops.size === 0) {
      // a sleeping timer would keep the process alive
      this.timer?.interruptUnsafe()
      this.timer = undefined
    }
    return true
  }

  private schedule(loop: PollLoop<A, E>) {
    this.heap.set(loop, loop.wake_ms())
    if (loop.due_ms < this.sleepingUntil_ms) Deferred.doneUnsafe(this.wake, Exit.void)
  }

  private readonly runTimer = Effect.fnUntraced({ self: this }, function* () {
    while (true) {
      const now = yield* Elapsed.now_ms
      let first = this.heap.first
      while (first !== undefined && first.due_ms <= now) {
        this.tick(first, now)
        first = this.heap.first
      }
      this.wake = Deferred.makeUnsafe()
      this.sleepingUntil_ms = first?.due_ms ?? Number.POSITIVE_INFINITY
      yield* first === undefined || first.due_ms === Number.POSITIVE_INFINITY
        ? Deferred.await(this.wake)
        : Effect.raceFirst(Effect.sleep(first.due_ms - now), Deferred.await(this.wake))
      this.sleepingUntil_ms = Number.NEGATIVE_INFINITY
    }
  })

  /** The time of a loop has come: to be polled, or to end waits whose time is over. */
  private tick(loop: PollLoop<A, E>, now: number) {
    loop.expire(now)
    if (this.dropIfEmpty(loop)) return
    if (loop.phase === "idle" && loop.nextPoll_ms() <= now) {
      loop.phase = "queued"
      this.queue.add(loop)
      this.pacer ??= Effect.runForkWith(this.context)(this.runPacer())
    }
    this.heap.set(loop, Math.max(now + 1, loop.wake_ms()))
  }

  private readonly runPacer = Effect.fnUntraced({ self: this }, function* () {
    const { budget } = this.polls
    // the timer that starts it goes on to queue what else is due
    yield* Effect.yieldNow
    for (const loop of this.queue) {
      if (budget !== undefined) yield* budget.take
      // while the budget was waited for, everyone may have left
      const context = loop.context()
      if (!this.queue.delete(loop) || context === undefined) continue
      loop.phase = "polling"
      Metrics.polls.updateUnsafe(1, this.context)
      const fiber = Effect.runForkWith(context)(this.poll(loop, context))
      loop.fiber = fiber
      // the last member may have left while the poll was being sent
      if (this.loops.get(loop.id) !== loop) fiber.interruptUnsafe()
      fiber.addObserver((exit) => {
        if (loop.fiber === fiber) loop.fiber = undefined
        if (Exit.isSuccess(exit)) return
        loop.endAll(Exit.failCause(exit.cause))
        this.dropIfEmpty(loop)
      })
    }
    this.pacer = undefined
  })

  private readonly poll = Effect.fnUntraced(
    { self: this },
    function* (loop: PollLoop<A, E>, context: Context.Context<never>) {
      if (this.polls.requestId !== undefined) loop.requestId = yield* this.polls.requestId
      const answer = yield* Effect.exit(this.polls.check(loop.id, loop.requestId, loop))
      const now = yield* Elapsed.now_ms
      loop.fiber = undefined
      loop.settle(answer, now, context)
      const { latest } = loop
      if (latest !== undefined && this.polls.isKnown?.(latest) === false)
        yield* this.sayOnce(statusOf(this.polls, latest))
      if (this.dropIfEmpty(loop)) return
      yield* plan(loop, now)
      if (this.dropIfEmpty(loop)) return
      loop.phase = "idle"
      this.schedule(loop)
    }
  )

  private sayOnce(status: string): Effect.Effect<void> {
    if (this.odd.has(status)) return Effect.void
    this.odd.add(status)
    const kind = this.polls.kind ?? "one"
    return Effect.logWarning(`A ${kind} has the unknown status ${JSON.stringify(status)}: waiting goes on`)
  }
}
