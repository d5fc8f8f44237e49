import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as PollSchedule from "./PollSchedule.ts"
import { WaitTimeoutError } from "./WaitTimeoutError.ts"

/** What is polled, the same for every wait. */
export interface Polled<A, E> {
  /** What is waited for, in a word for messages: `run`, `session`. */
  readonly kind?: string
  readonly isTerminal: (value: A) => boolean
  /** The status of a value: what `lastStatus` reports and what makes two values differ to `watch`. */
  readonly statusOf?: (value: A) => string
  /**
   * Tells a failure that a wait survives, and the least time to leave the service alone after it. Any other failure
   * ends the wait.
   */
  readonly retryable?: (error: E) => { readonly retryAfter?: Duration.Duration | undefined } | undefined
}

/** One who waits: its cadence and deadline, and what to tell it. */
export interface Member<A, E> {
  readonly schedule: PollSchedule.PollSchedule
  readonly began_ms: number
  readonly deadline_ms: number
  readonly onValue: (value: A) => void
  readonly onEnd: (exit: Exit.Exit<A, E | WaitTimeoutError>) => void
}

/** A poll that is in flight at a deadline may still bring the terminal status: it is given this long. */
const lastPoll_ms = 5000

interface Seat {
  polls: number
  due_ms: number
}

/**
 * Polls one id for all its members: at the earliest instant that any of them is due, each answer for everyone.
 * Ends with the first terminal value, with a failure that is not retryable, or when the last member is gone.
 */
export class PollLoop<A, E> {
  readonly members = new Map<Member<A, E>, Seat>()
  latest: A | undefined = undefined
  /** The fiber that runs this loop is about to end, or has ended: nobody may be seated. */
  over = false
  private wake = Deferred.makeUnsafe<void>()
  private sleepingUntil_ms = Number.NEGATIVE_INFINITY
  private floor_ms = Number.NEGATIVE_INFINITY
  readonly id: string
  private readonly poll: Effect.Effect<A, E>
  private readonly polled: Polled<A, E>

  constructor(id: string, poll: Effect.Effect<A, E>, polled: Polled<A, E>) {
    this.id = id
    this.poll = poll
    this.polled = polled
  }

  /** Seats a member, its first poll after `delay`, and wakes the loop if it would sleep past that. */
  seat(member: Member<A, E>, delay: Duration.Duration): void {
    const due_ms = Math.max(this.floor_ms, member.began_ms + Duration.toMillis(delay))
    this.members.set(member, { polls: 0, due_ms: Math.min(member.deadline_ms, due_ms) })
    if (this.latest !== undefined) member.onValue(this.latest)
    if (due_ms < this.sleepingUntil_ms) Deferred.doneUnsafe(this.wake, Exit.void)
  }

  readonly run = Effect.fnUntraced({ self: this }, function* () {
    while (this.members.size > 0) {
      const now = yield* Clock.currentTimeMillis
      // at the deadline the service may still want to be left alone: then there is no last poll
      if (now < this.floor_ms) this.endOverdue(now)
      const due_ms = Math.min(...Array.from(this.members.values(), (seat) => seat.due_ms))
      if (due_ms > now) yield* this.sleepUntil(due_ms, now)
      else yield* this.pollOnce(now)
    }
    this.over = true
  })

  /** Ends every member alike. */
  endAll(exit: Exit.Exit<A, E>): void {
    const ended = Array.from(this.members.keys())
    this.members.clear()
    for (const member of ended) member.onEnd(exit)
  }

  private sleepUntil(due_ms: number, now: number) {
    this.wake = Deferred.makeUnsafe<void>()
    this.sleepingUntil_ms = due_ms
    return due_ms === Number.POSITIVE_INFINITY
      ? Deferred.await(this.wake)
      : Effect.raceFirst(Effect.sleep(due_ms - now), Deferred.await(this.wake))
  }

  private readonly pollOnce = Effect.fnUntraced({ self: this }, function* (now: number) {
    this.sleepingUntil_ms = Number.NEGATIVE_INFINITY
    const deadline_ms = Math.min(...Array.from(this.members.keys(), (member) => member.deadline_ms))
    const answer = yield* this.poll.pipe(Effect.exit, Effect.timeoutOption(deadline_ms + lastPoll_ms - now))
    const then = yield* Clock.currentTimeMillis
    for (const seat of this.members.values()) seat.polls++
    if (Option.isSome(answer)) {
      if (Exit.isSuccess(answer.value)) this.accept(answer.value.value)
      else this.survive(answer.value.cause, then)
    }
    this.endOverdue(then)
    for (const [member, seat] of this.members) {
      const delay = yield* PollSchedule.next(member.schedule, { elapsed_ms: then - member.began_ms, polls: seat.polls })
      seat.due_ms = Math.min(member.deadline_ms, Math.max(this.floor_ms, then + Duration.toMillis(delay)))
    }
  })

  private accept(value: A) {
    this.latest = value
    for (const member of this.members.keys()) member.onValue(value)
    if (this.polled.isTerminal(value)) this.endAll(Exit.succeed(value))
  }

  private survive(cause: Cause.Cause<E>, now: number) {
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    const pause = error === undefined ? undefined : this.polled.retryable?.(error)
    if (pause === undefined) this.endAll(Exit.failCause(cause))
    else if (pause.retryAfter !== undefined) this.floor_ms = now + Duration.toMillis(pause.retryAfter)
  }

  private endOverdue(now: number) {
    for (const [member, seat] of this.members) {
      if (member.deadline_ms > now) continue
      this.members.delete(member)
      const error = new WaitTimeoutError({
        kind: this.polled.kind ?? "",
        id: this.id,
        ...(this.latest === undefined ? {} : { lastStatus: this.status(this.latest) }),
        polls: seat.polls,
        waited_ms: now - member.began_ms
      })
      member.onEnd(Exit.fail(error))
    }
  }

  status(value: A): string {
    return this.polled.statusOf?.(value) ?? String(value)
  }
}
