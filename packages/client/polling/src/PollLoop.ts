import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { Due } from "./DueHeap.ts"
import * as PollSchedule from "./PollSchedule.ts"
import { WaitTimeoutError } from "./WaitTimeoutError.ts"

/** A resource that is polled in the same way by every wait. */
export interface Polled<A, E> {
  /** The kind of resource in one word for messages: `run`, `session`. */
  readonly kind?: string
  readonly isTerminal: (value: A) => boolean
  /** The status of a value: what `lastStatus` reports and what makes two values differ to `watch`. */
  readonly statusOf?: (value: A) => string
  /** Tells a status that is described; one that is not is waited for all the same, and named in the log once. */
  readonly isKnown?: (value: A) => boolean
  /** Tells a failure that a wait survives, and when to poll again. Any other failure ends the wait. */
  readonly retryable?: (error: E, silence: Silence) => Retry | undefined
}

/** The state of a wait after a failed poll. */
export interface Silence {
  readonly id: string
  /** True if an earlier poll of this id succeeded. */
  readonly answered: boolean
  /** Time since the last success, or since the first failure, in milliseconds. */
  readonly silent_ms: number
  /** Now, as `Elapsed` counts. */
  readonly now_ms: number
}

/** The next step of a wait after a failed poll. */
export interface Retry {
  /** The least time to leave the service alone. */
  readonly retryAfter?: Duration.Duration | undefined
  /** The longest pause after a first failure, doubled for each further one, where the schedule's own is not shorter. */
  readonly pause?: Duration.Duration | undefined
}

/** A poll that is made at a deadline may still bring the terminal status: it is given this long, its retries included. */
const lastPoll_ms = 5000

/** One who waits: its cadence and deadline, where its polls are made, and what to tell it. */
export interface Member<A, E> {
  readonly context: Context.Context<never>
  readonly schedule: PollSchedule.PollSchedule
  readonly began_ms: number
  readonly deadline_ms: number
  /** Polls since it came. The loop alone writes this and the next field. */
  polls: number
  /** When it wants its next poll. */
  due_ms: number
  readonly onValue: (value: A) => void
  readonly onEnd: (exit: Exit.Exit<A, E | WaitTimeoutError>) => void
}

/** The polling of one id for all its members: they share requests and answers, and each has its own deadline. */
export class PollLoop<A, E> implements Due {
  due_ms = Number.POSITIVE_INFINITY
  place = -1
  readonly members = new Set<Member<A, E>>()
  latest: A | undefined = undefined
  /** `idle` until a poll is due, `queued` until the budget allows it, `polling` until it is answered, then `idle`. */
  phase: "idle" | "queued" | "polling" | "over" = "idle"
  /** The poll in flight. */
  fiber: Fiber.Fiber<void> | undefined
  /** Until when the service wants to be left alone. */
  floor_ms = Number.NEGATIVE_INFINITY
  /** True if the response asked for a longer pause than a wait honors; then there is one more poll at the deadline. */
  private isCapped = false
  /** Failures since the last answer, and what the last one asks for. */
  failures = 0
  retry: Retry | undefined
  pause_ms = Number.POSITIVE_INFINITY
  private heard_ms: number | undefined
  /** The request id of the last poll, where polls have one. */
  requestId: string | undefined
  readonly id: string
  private readonly polled: Polled<A, E>
  private readonly onEnded: () => void

  /** `onEnded` is told of each member that has been told its end. */
  constructor(id: string, polled: Polled<A, E>, onEnded: () => void) {
    this.id = id
    this.polled = polled
    this.onEnded = onEnded
  }

  /** Seats a member, its first poll after `delay`. */
  seat(member: Member<A, E>, delay: Duration.Duration): void {
    const due_ms = Math.max(this.floor_ms, member.began_ms + Duration.toMillis(delay))
    member.due_ms = Math.min(member.deadline_ms, due_ms)
    this.members.add(member)
    if (this.latest !== undefined) member.onValue(this.latest)
  }

  /** Returns the context of the next poll: that of the longest wait. */
  context(): Context.Context<never> | undefined {
    for (const { context } of this.members) return context
    return undefined
  }

  /** When the next poll is due. */
  nextPoll_ms(): number {
    let due_ms = Number.POSITIVE_INFINITY
    for (const member of this.members) due_ms = Math.min(due_ms, member.due_ms)
    return due_ms
  }

  /** The first deadline of a member. */
  deadline_ms(): number {
    let deadline_ms = Number.POSITIVE_INFINITY
    for (const member of this.members) deadline_ms = Math.min(deadline_ms, member.deadline_ms)
    return deadline_ms
  }

  /** When something has to be done: a poll, or to tell a member whose time is over. */
  wake_ms(): number {
    return this.phase === "idle" ? this.nextPoll_ms() : this.deadline_ms() + lastPoll_ms
  }

  /** Ends the members that have no last poll to wait for. */
  expire(now: number): void {
    // at the deadline the service may still want to be left alone: then there is no last poll
    const isAlone = this.phase === "idle" && now < this.floor_ms && !this.isCapped
    this.endOverdue(now, isAlone ? 0 : lastPoll_ms)
  }

  /** Takes in what a poll brought. */
  settle(answer: Exit.Exit<A, E>, now: number, context: Context.Context<never>): void {
    for (const member of this.members) member.polls++
    this.retry = undefined
    if (Exit.isSuccess(answer)) {
      this.heard_ms = now
      this.failures = 0
      this.accept(answer.value)
    } else this.survive(answer.cause, now, context)
    // a last poll that has failed is tried again, unless the service asks not to
    this.endOverdue(now, this.failures === 0 || now < this.floor_ms ? 0 : lastPoll_ms)
  }

  /** Ends every member alike. Each gets an error of its own: a caller may add to it, such as where it was called. */
  endAll(exit: Exit.Exit<A, E>): void {
    const ended = Array.from(this.members)
    this.members.clear()
    ended.forEach((member, index) => this.end(member, index === 0 ? exit : Exit.mapError(exit, copyOf)))
  }

  private end(member: Member<A, E>, exit: Exit.Exit<A, E | WaitTimeoutError>) {
    this.onEnded()
    member.onEnd(exit)
  }

  private endOverdue(now: number, grace_ms: number): void {
    for (const member of this.members) {
      if (member.deadline_ms + grace_ms > now) continue
      this.members.delete(member)
      const error = new WaitTimeoutError({
        kind: this.polled.kind ?? "",
        id: this.id,
        ...(this.latest === undefined ? {} : { lastStatus: statusOf(this.polled, this.latest) }),
        polls: member.polls + (this.phase === "polling" && this.fiber !== undefined ? 1 : 0),
        waited_ms: now - member.began_ms,
        ...(this.requestId === undefined ? {} : { requestId: this.requestId })
      })
      this.end(member, Exit.fail(error))
    }
  }

  private accept(value: A) {
    this.latest = value
    for (const member of this.members) member.onValue(value)
    if (this.polled.isTerminal(value)) this.endAll(Exit.succeed(value))
  }

  private survive(cause: Cause.Cause<E>, now: number, context: Context.Context<never>) {
    const { id } = this
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    const silent_ms = now - (this.heard_ms ??= now)
    const silence = { id, answered: this.latest !== undefined, silent_ms, now_ms: now }
    const retry = error === undefined ? undefined : this.polled.retryable?.(error, silence)
    if (retry === undefined) return this.endAll(Exit.failCause(cause))
    this.failures++
    this.retry = retry
    if (retry.retryAfter === undefined) return
    const asked_ms = Duration.toMillis(retry.retryAfter)
    const most_ms = Duration.toMillis(Context.get(context, PollSchedule.MaxRetryAfter))
    this.isCapped = asked_ms > most_ms
    this.floor_ms = now + Math.min(asked_ms, most_ms)
  }
}

/** An error like another one, for someone else. */
const copyOf = <E>(error: E): E => {
  if (!(error instanceof Error)) return error
  const { stack: _, ...own } = Object.getOwnPropertyDescriptors(error)
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error))
  if (own.message === undefined) delete copy.message
  return Object.defineProperties(copy, {
    ...own,
    stack: { value: error.stack, writable: true, configurable: true }
  })
}

/** The status of a value, as messages say it. */
export const statusOf = <A, E>(polled: Polled<A, E>, value: A): string => polled.statusOf?.(value) ?? String(value)

/** Decides when each member wants its next poll. */
export const plan = Effect.fnUntraced(function* <A, E>(loop: PollLoop<A, E>, now: number) {
  const { failures, floor_ms, members, retry } = loop
  let pause_ms = loop.pause_ms
  if (retry?.pause !== undefined) {
    const most_ms = Duration.toMillis(retry.pause) * 2 ** Math.min(failures - 1, 10)
    pause_ms = Math.ceil((yield* Random.next) * most_ms)
  }
  for (const member of members) {
    const delay = yield* PollSchedule.next(member.schedule, { elapsed_ms: now - member.began_ms, polls: member.polls })
    const due_ms = Math.max(floor_ms, now + Math.min(pause_ms, Duration.toMillis(delay)))
    member.due_ms = member.deadline_ms > now ? Math.min(member.deadline_ms, due_ms) : due_ms
  }
})
