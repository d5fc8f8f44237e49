import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Due } from "./DueHeap.ts"
import * as PollSchedule from "./PollSchedule.ts"
import { WaitTimeoutError } from "./WaitTimeoutError.ts"

/** What is polled, the same for every wait. */
export interface Polled<A, E> {
  /** What is waited for, in a word for messages: `run`, `session`. */
  readonly kind?: string
  readonly isTerminal: (value: A) => boolean
  /** The status of a value: what `lastStatus` reports and what makes two values differ to `watch`. */
  readonly statusOf?: (value: A) => string
  /** Tells a status that is described; one that is not is waited for all the same, and named in the log once. */
  readonly isKnown?: (value: A) => boolean
  /**
   * Tells a failure that a wait survives, and the least time to leave the service alone after it. Any other failure
   * ends the wait. `answered` is whether a poll of this id has been answered before, `silent_ms` how long ago that was,
   * or the first failure.
   */
  readonly retryable?: (
    error: E,
    answered: boolean,
    silent_ms: number
  ) => { readonly retryAfter?: Duration.Duration | undefined } | undefined
}

/** One who waits: its cadence and deadline, and what to tell it. */
export interface Member<A, E> {
  readonly schedule: PollSchedule.PollSchedule
  readonly began_ms: number
  readonly deadline_ms: number
  readonly onValue: (value: A) => void
  readonly onEnd: (exit: Exit.Exit<A, E | WaitTimeoutError>) => void
}

interface Seat {
  polls: number
  due_ms: number
}

/** The polling of one id for all its members: each answer is for everyone, the earliest due sets the pace. */
export class PollLoop<A, E> implements Due {
  due_ms = Number.POSITIVE_INFINITY
  place = -1
  readonly members = new Map<Member<A, E>, Seat>()
  latest: A | undefined = undefined
  /** `idle` until a poll is due, `queued` until the budget allows it, `polling` until it is answered, then `idle`. */
  phase: "idle" | "queued" | "polling" | "over" = "idle"
  /** The poll in flight. */
  fiber: Fiber.Fiber<void> | undefined
  floor_ms = Number.NEGATIVE_INFINITY
  private heard_ms: number | undefined
  readonly id: string
  /** Where the first member waits: polls are made there. */
  readonly context: Context.Context<never>
  private readonly polled: Polled<A, E>

  constructor(id: string, context: Context.Context<never>, polled: Polled<A, E>) {
    this.id = id
    this.context = context
    this.polled = polled
  }

  /** Seats a member, its first poll after `delay`. */
  seat(member: Member<A, E>, delay: Duration.Duration): void {
    const due_ms = Math.max(this.floor_ms, member.began_ms + Duration.toMillis(delay))
    this.members.set(member, { polls: 0, due_ms: Math.min(member.deadline_ms, due_ms) })
    if (this.latest !== undefined) member.onValue(this.latest)
  }

  /** When the next poll is due. */
  nextPoll_ms(): number {
    let due_ms = Number.POSITIVE_INFINITY
    for (const seat of this.members.values()) due_ms = Math.min(due_ms, seat.due_ms)
    return due_ms
  }

  /** When the first of the members has to be told. */
  deadline_ms(): number {
    let deadline_ms = Number.POSITIVE_INFINITY
    for (const member of this.members.keys()) deadline_ms = Math.min(deadline_ms, member.deadline_ms)
    return deadline_ms
  }

  /** Takes in what a poll brought; none when it was given up. */
  settle(answer: Option.Option<Exit.Exit<A, E>>, now: number): void {
    for (const seat of this.members.values()) seat.polls++
    if (Option.isSome(answer)) {
      if (Exit.isSuccess(answer.value)) {
        this.heard_ms = now
        this.accept(answer.value.value)
      } else this.survive(answer.value.cause, now)
    }
    this.endOverdue(now)
  }

  /** Ends every member alike. */
  endAll(exit: Exit.Exit<A, E>): void {
    const ended = Array.from(this.members.keys())
    this.members.clear()
    for (const member of ended) member.onEnd(exit)
  }

  /** Ends the members whose deadline has come. */
  endOverdue(now: number): void {
    for (const [member, seat] of this.members) {
      if (member.deadline_ms > now) continue
      this.members.delete(member)
      const error = new WaitTimeoutError({
        kind: this.polled.kind ?? "",
        id: this.id,
        ...(this.latest === undefined ? {} : { lastStatus: statusOf(this.polled, this.latest) }),
        polls: seat.polls,
        waited_ms: now - member.began_ms
      })
      member.onEnd(Exit.fail(error))
    }
  }

  private accept(value: A) {
    this.latest = value
    for (const member of this.members.keys()) member.onValue(value)
    if (this.polled.isTerminal(value)) this.endAll(Exit.succeed(value))
  }

  private survive(cause: Cause.Cause<E>, now: number) {
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    const silent_ms = now - (this.heard_ms ??= now)
    const pause = error === undefined ? undefined : this.polled.retryable?.(error, this.latest !== undefined, silent_ms)
    if (pause === undefined) this.endAll(Exit.failCause(cause))
    else if (pause.retryAfter !== undefined) {
      const most = Context.get(this.context, PollSchedule.MaxRetryAfter)
      this.floor_ms = now + Math.min(Duration.toMillis(pause.retryAfter), Duration.toMillis(most))
    }
  }
}

/** The status of a value, as messages say it. */
export const statusOf = <A, E>(polled: Polled<A, E>, value: A): string => polled.statusOf?.(value) ?? String(value)

/** Decides when each member wants its next poll. */
export const plan = Effect.fnUntraced(function* <A, E>({ floor_ms, members }: PollLoop<A, E>, now: number) {
  for (const [member, seat] of members) {
    const delay = yield* PollSchedule.next(member.schedule, { elapsed_ms: now - member.began_ms, polls: seat.polls })
    seat.due_ms = Math.min(member.deadline_ms, Math.max(floor_ms, now + Duration.toMillis(delay)))
  }
})
