import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Money from "@webagent/cli/Money"
import type { Skip } from "@webagent/report/Skip"
import type { Limits } from "@webagent/report/RunReport"

/** A scenario as the budget knows it. */
export interface Account {
  /** Maximum cost of all its trials; undefined if it is unlimited. */
  readonly worst_usd: string | undefined
  /** Cost so far. */
  spent_usd: string
  /** Amount reserved for further cost. */
  held_usd: string
  /** True if it created a resource with an unknown cost. Its highest possible cost then stays reserved. */
  unknown: boolean
}

/** An account that has spent nothing. */
export const account = (worst_usd: string | undefined): Account => ({
  worst_usd,
  spent_usd: "0",
  held_usd: "0",
  unknown: false
})

/** Something that sends requests, with how many it has sent. */
interface Sender {
  readonly requests: number
}

const remaining = (worst_usd: string, spent_usd: string): string => {
  const left = Money.difference(worst_usd, spent_usd)
  return left.startsWith("-") ? "0" : left
}

/** Keeps a run within its limits of money and requests. Amounts are exact decimals in USD. */
export class Budget {
  private readonly limits: Limits
  private readonly senders = new Set<Sender>()
  private sent = 0
  private spent_usd = "0"
  /** Set aside for what runs. */
  private held_usd = "0"
  /** Reserved for what has ended, and may have cost more than is known. */
  private kept_usd = "0"
  private running = 0
  /** The first run whose service reported no cost. */
  private unpricedRun: string | undefined
  private left = Deferred.makeUnsafe<void>()

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Total cost so far. */
  get cost_usd(): string {
    return this.spent_usd
  }

  /** Requests sent so far, also by what still runs. */
  get requests(): number {
    let requests = this.sent
    for (const sender of this.senders) requests += sender.requests
    return requests
  }

  /** The reason why no new request may be sent; undefined if it may. */
  get refusal(): Skip | undefined {
    const limit = this.limits.requests
    return limit !== undefined && this.requests >= limit ? { _tag: "RequestLimit", limit } : undefined
  }

  /** Stops everything that may cost: the service reported no cost for this run. */
  stopSpending(run: string): void {
    this.unpricedRun ??= run
  }

  /** The reason why no scenario may start that costs money and has a cost limit; undefined if it may. */
  get spendingRefusal(): Skip | undefined {
    return this.unpricedRun === undefined ? undefined : { _tag: "CostUnknown", run: this.unpricedRun }
  }

  /**
   * Sets aside what a scenario may cost. When that does not fit, it waits for what runs to have cost less than it might;
   * answers why the scenario cannot begin, or undefined when it may.
   */
  enter(account: Account): Effect.Effect<Skip | undefined> {
    return Effect.suspend(() => {
      const limit = this.limits.cost_usd
      if (limit === undefined) return Effect.undefined
      const { spent_usd, worst_usd } = account
      if (worst_usd === undefined) return Effect.succeed({ _tag: "NoBudget" })
      if (Money.isMore(worst_usd, limit)) return Effect.succeed({ _tag: "OverCostLimit", worst_usd, limit_usd: limit })
      const wanted_usd = remaining(worst_usd, spent_usd)
      const past = Money.sum([this.spent_usd, this.kept_usd, wanted_usd])
      if (!Money.isMore(Money.sum([past, this.held_usd]), limit)) {
        account.held_usd = wanted_usd
        this.held_usd = Money.sum([this.held_usd, wanted_usd])
        this.running += 1
        return Effect.undefined
      }
      return this.running === 0 || Money.isMore(past, limit)
        ? Effect.succeed({ _tag: "CostLimit", limit_usd: limit })
        : Effect.andThen(Deferred.await(this.left), this.enter(account))
    })
  }

  /** Reserves for good what may have been spent and was not reported. */
  keep(amount_usd: string): void {
    this.kept_usd = Money.sum([this.kept_usd, amount_usd])
  }

  /** Counts what is sent from here on, until `settle`. */
  follow(sender: Sender): void {
    this.senders.add(sender)
  }

  /** Takes in what a trial has cost and sent. */
  settle(account: Account, trial: { readonly cost_usd: string; readonly requests: number }, sender?: Sender): void {
    if (sender !== undefined) this.senders.delete(sender)
    this.sent += trial.requests
    this.spent_usd = Money.sum([this.spent_usd, trial.cost_usd])
    account.spent_usd = Money.sum([account.spent_usd, trial.cost_usd])
    if (account.held_usd !== "0") this.hold(account, remaining(account.worst_usd ?? "0", account.spent_usd))
    this.tell()
  }

  /** Gives back what an admitted scenario has not spent, unless its cost is unknown. */
  leave(account: Account): void {
    if (this.limits.cost_usd === undefined) return
    if (account.unknown) this.kept_usd = Money.sum([this.kept_usd, account.held_usd])
    this.hold(account, "0")
    this.running -= 1
    this.tell()
  }

  private hold(account: Account, held_usd: string): void {
    this.held_usd = Money.sum([Money.difference(this.held_usd, account.held_usd), held_usd])
    account.held_usd = held_usd
  }

  // every waiting scenario looks again
  private tell(): void {
    const left = this.left
    this.left = Deferred.makeUnsafe()
    Deferred.doneUnsafe(left, Effect.void)
  }
}
