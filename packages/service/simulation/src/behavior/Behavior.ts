import { type PresetName, presets, type Profile, SettingsFile } from "@webagent/control"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Seed } from "./Seed.ts"

const { description: _description, name: _name, ...instant } = presets.instant

/** A profile in which nothing that has to be known is missing: it is as in the preset `instant`. */
export type CompleteProfile = Profile & Required<Pick<Profile, keyof typeof instant>>

/**
 * Fills in a profile with the fields of the preset `instant`.
 *
 * @param profile - A profile without some of its fields.
 * @returns The profile with a default for each missing field.
 * @example
 * ```ts
 * import { complete } from "@webagent/simulation"
 * import * as Duration from "effect/Duration"
 *
 * export const slow = complete({ name: "slow", description: "Takes a while", duration: Duration.seconds(20) })
 * ```
 */
export const complete = (profile: Profile): CompleteProfile => ({ ...instant, ...profile })

/** Options of a simulated service's behavior. */
export interface BehaviorOptions {
  /** Everything that is drawn comes from it; 1 unless given. */
  readonly seed?: Seed
  /** A preset's name or a profile; without it turns succeed after 150 ms or so. */
  readonly profile?: PresetName | Profile
  /** Duration of every unscripted turn, regardless of the profile. */
  readonly turnDuration?: Duration.Input
  /** The share of unscripted turns that fail, 0 to 1, whatever the profile says. */
  readonly failureRate?: number
}

/** The profile unless one is given. Its turns are long enough to be seen and short enough to wait for. */
const unasked: Profile = {
  name: "default",
  description: "Everything succeeds after 150 ms or so.",
  dispatch: { lognormal: { median: Duration.millis(15), sigma: 0.5 } },
  duration: { lognormal: { median: Duration.millis(135), sigma: 0.5 } }
}

/** The part of a turn's whole duration that it spends dispatching, where only the whole is said. */
export const dispatchShare = 0.1

const profileOf = ({ failureRate, profile = unasked, turnDuration }: BehaviorOptions): CompleteProfile => {
  const whole_ms = turnDuration === undefined ? undefined : Duration.toMillis(Duration.fromInputUnsafe(turnDuration))
  return {
    // either may come from where no type is checked; what is misspelt must not pass for a service without faults
    ...complete(
      Result.getOrThrow(
        typeof profile === "string" ? SettingsFile.preset(profile) : SettingsFile.checkedProfile(profile)
      )
    ),
    ...(whole_ms === undefined
      ? {}
      : {
          dispatch: Duration.millis(whole_ms * dispatchShare),
          duration: Duration.millis(whole_ms * (1 - dispatchShare))
        }),
    ...(failureRate === undefined ? {} : { outcomes: { completed: 1 - failureRate, failed: failureRate } })
  }
}

/**
 * The behavior of the simulated parts. Each run, browser or request reads profile and seed once when it begins, so a
 * change affects only later ones.
 */
export class Behavior extends Context.Service<
  Behavior,
  {
    /**
     * Returns the current profile.
     *
     * @returns The profile with all its fields.
     * @example
     * ```ts
     * import { Behavior } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     *
     * export const name = Effect.map(Behavior, (behavior) => behavior.profile().name)
     * ```
     */
    readonly profile: () => CompleteProfile
    /**
     * Returns the current seed.
     *
     * @returns The seed of every random decision.
     * @example
     * ```ts
     * import { Behavior } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     *
     * export const seed = Effect.map(Behavior, (behavior) => behavior.seed())
     * ```
     */
    readonly seed: () => Seed
    /**
     * Replaces the profile for runs, browsers and requests that begin from now on.
     *
     * @param profile - The profile. Missing fields are those of the preset `instant`.
     * @returns An effect that replaces it.
     * @example
     * ```ts
     * import { presets } from "@webagent/control"
     * import { Behavior } from "@webagent/simulation"
     *
     * export const program = Behavior.use((behavior) => behavior.set(presets.hostile))
     * ```
     */
    readonly set: (profile: Profile) => Effect.Effect<void>
    /**
     * Replaces the seed for runs, browsers and requests that begin from now on.
     *
     * @param seed - The seed.
     * @returns An effect that replaces it.
     * @example
     * ```ts
     * import { Behavior } from "@webagent/simulation"
     *
     * export const program = Behavior.use((behavior) => behavior.reseed(7))
     * ```
     */
    readonly reseed: (seed: Seed) => Effect.Effect<void>
    /**
     * Sleeps in service time, but at most until the service closes.
     *
     * @param wait_ms - The time in milliseconds.
     * @returns An effect that waits.
     * @example
     * ```ts
     * import { Behavior } from "@webagent/simulation"
     *
     * export const program = Behavior.use((behavior) => behavior.sleep(500))
     * ```
     */
    readonly sleep: (wait_ms: number) => Effect.Effect<void>
    /** The service closes: every sleep ends. */
    readonly wake: Effect.Effect<void>
  }
>()("@webagent/simulation/Behavior") {
  /**
   * Provides the behavior of a simulated service.
   *
   * @param options - The profile, the seed, and the duration and failure rate of turns.
   * @returns A layer with the behavior.
   * @throws An error as a defect if the profile is invalid.
   * @example
   * ```ts
   * import { Behavior } from "@webagent/simulation"
   *
   * export const layer = Behavior.layer({ profile: "flaky", seed: 7, turnDuration: "2 seconds" })
   * ```
   */
  static readonly layer = (options: BehaviorOptions = {}): Layer.Layer<Behavior> =>
    Layer.sync(Behavior, () => {
      let profile = profileOf(options)
      let seed = options.seed ?? 1
      const closing = Deferred.makeUnsafe<void>()
      return {
        profile: () => profile,
        seed: () => seed,
        set: (next) => Effect.sync(() => void (profile = complete(next))),
        reseed: (next) => Effect.sync(() => void (seed = next)),
        sleep: (wait_ms) => Effect.raceFirst(Effect.sleep(wait_ms), Deferred.await(closing)),
        wake: Effect.asVoid(Deferred.succeed(closing, undefined))
      }
    })
}
