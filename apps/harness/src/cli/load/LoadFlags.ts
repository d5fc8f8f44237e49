import type { Output } from "../../load/operator/Outputs.ts"
import { isWebAddress } from "../Parsers.ts"

/** What the flags and arguments of `load` say, as far as one bears on another. */
export interface LoadFlags {
  readonly test: string
  /** The second address of `--ab`, or a word too many. */
  readonly other: string | undefined
  readonly ab: string | undefined
  readonly target: string
  readonly pairs: number | undefined
  readonly seed: number | undefined
  readonly tolerance: number | undefined
  readonly baseline: string | undefined
  readonly record: boolean
  readonly rate: number | undefined
  readonly vus: number | undefined
  readonly thresholds: string | undefined
  readonly profile: string | undefined
  readonly segments: number
  readonly outputs: ReadonlyArray<Output>
  /** What `--out` says that is no output: a folder, with `--render`. */
  readonly folders: ReadonlyArray<string>
  readonly renders: boolean
  readonly image: string | undefined
  readonly reportDir: string | undefined
}

/** The flags that were given, of those that say nothing here. */
const givenOf = (flags: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(flags).flatMap(([flag, value]) => (value === undefined || value === false ? [] : [flag]))

const together = (given: ReadonlyArray<string>, flag: string): string | undefined =>
  given.length === 0 ? undefined : `${given.join(", ")} and ${flag} do not go together: leave one out.`

const withoutPairs = (what: string | undefined): string | undefined =>
  what === undefined ? undefined : `${what} says nothing without --ab URL1 URL2.`

const word = (text: string | undefined) => (text === undefined ? undefined : `"${text}"`)

/** A flag that says something to one kind of load alone. */
const ofPairs = ({ pairs, seed }: LoadFlags) => ({ "--pairs": pairs, "--seed": seed })
const ofHistory = ({ baseline, record }: LoadFlags) => ({ "--baseline": baseline, "--record": record })

const inRender = (flags: LoadFlags): string | undefined => {
  const { ab, folders, other, profile, reportDir, tolerance } = flags
  const further = { "--tolerance": tolerance, "--profile": profile, "--report-dir": reportDir }
  const unheard = { "--ab": ab, ...ofHistory(flags), ...ofPairs(flags), ...further }
  return (
    together(givenOf(unheard), "--render") ??
    withoutPairs(word(other)) ??
    (folders.length > 1
      ? `With --render, --out takes one folder beside prometheus=URL and otlp=URL, not "${folders.join('" and "')}".`
      : undefined)
  )
}

const inOne = (flags: LoadFlags): string | undefined => {
  const { baseline, other, record, tolerance } = flags
  if (record && baseline === undefined) return "--record needs --baseline FILE, where it adds the run."
  if (tolerance !== undefined && baseline === undefined) {
    return "--tolerance says nothing without --ab URL1 URL2 or --baseline FILE."
  }
  return withoutPairs(word(other) ?? givenOf(ofPairs(flags))[0])
}

const isService = (text: string) => text === "simulated" || isWebAddress(text)

const inPairs = (flags: LoadFlags, ab: string): string | undefined => {
  const { other, outputs, segments, target, test, thresholds } = flags
  const unheard = givenOf({
    "--target": target !== "simulated",
    "--segments": segments !== 1,
    "--out": outputs.length > 0,
    "--thresholds": thresholds,
    ...ofHistory(flags)
  })
  const mistake = together(unheard, "--ab")
  if (mistake !== undefined) return mistake
  if (other === undefined && !isService(test)) return `--ab takes two services: load ${test} --ab ${ab} URL2.`
  const wrong = [ab, other ?? test].find((service) => !isService(service))
  return wrong === undefined
    ? undefined
    : `--ab takes "simulated" or a web address such as https://host twice, not "${wrong}".`
}

/** Which flags contradict each other or say nothing, in one sentence; undefined when all are heard. */
export const mistakeIn = (flags: LoadFlags): string | undefined => {
  const { ab, folders, image, other, outputs, profile, rate, renders, target, test, vus } = flags
  const twice = outputs.find(({ name }, index) => outputs.findIndex((output) => output.name === name) < index)
  if (twice !== undefined) return `--out takes ${twice.name}=URL once.`
  if (rate !== undefined && vus !== undefined) {
    return "--rate and --vus do not go together: users who wait for their own have no rate."
  }
  if (renders) return inRender(flags)
  if (image !== undefined) return "--image says nothing without --render k6-operator."
  if (folders[0] !== undefined) return `--out takes prometheus=URL or otlp=URL, not "${folders[0]}".`
  const mistake = ab === undefined ? inOne(flags) : inPairs(flags, ab)
  const services = ab === undefined ? [target] : [ab, other ?? test]
  return (
    mistake ??
    (profile !== undefined && !services.includes("simulated")
      ? "--profile says how a service behaves that is started for this, and none is."
      : undefined)
  )
}
