import type { Output } from "@webagent/load/Output"
import { isWebAddress } from "../Parsers.ts"

/** The flags and arguments of `load` that restrict each other. */
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
  /** The values of `--out` that are no output: a folder, with `--render`. */
  readonly folders: ReadonlyArray<string>
  readonly renders: boolean
  readonly image: string | undefined
  readonly reportDir: string | undefined
}

/** The flags that were given. */
const givenOf = (flags: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(flags).flatMap(([flag, value]) => (value === undefined || value === false ? [] : [flag]))

const notWith = (given: ReadonlyArray<string>, flag: string): string | undefined =>
  given.length === 0 ? undefined : `${flag} cannot be combined with ${given.join(", ")}. Remove one.`

const needsPairs = (what: string | undefined): string | undefined =>
  what === undefined ? undefined : `${what} needs --ab URL_A URL_B.`

const quoted = (text: string | undefined) => (text === undefined ? undefined : `"${text}"`)

const ofPairs = ({ pairs, seed }: LoadFlags) => ({ "--pairs": pairs, "--seed": seed })
const ofBaseline = ({ baseline, record }: LoadFlags) => ({ "--baseline": baseline, "--record": record })

const inRender = (flags: LoadFlags): string | undefined => {
  const { ab, folders, other, profile, reportDir, tolerance } = flags
  const further = { "--tolerance": tolerance, "--profile": profile, "--report-dir": reportDir }
  const unused = { "--ab": ab, ...ofBaseline(flags), ...ofPairs(flags), ...further }
  return (
    notWith(givenOf(unused), "--render") ??
    needsPairs(quoted(other)) ??
    (folders.length > 1
      ? `With --render, --out must name one folder, besides prometheus=URL and otlp=URL; got "${folders.join('" and "')}".`
      : undefined)
  )
}

const inOne = (flags: LoadFlags): string | undefined => {
  const { baseline, other, record, tolerance } = flags
  if (record && baseline === undefined) return "--record needs --baseline FILE, to which it adds the run."
  if (tolerance !== undefined && baseline === undefined) {
    return "--tolerance needs --ab URL_A URL_B or --baseline FILE."
  }
  return needsPairs(quoted(other) ?? givenOf(ofPairs(flags))[0])
}

const isService = (text: string) => text === "simulated" || isWebAddress(text)

const inPairs = (flags: LoadFlags, ab: string): string | undefined => {
  const { other, outputs, segments, target, test, thresholds } = flags
  const unused = givenOf({
    "--target": target !== "simulated",
    "--segments": segments !== 1,
    "--out": outputs.length > 0,
    "--thresholds": thresholds,
    ...ofBaseline(flags)
  })
  const problem = notWith(unused, "--ab")
  if (problem !== undefined) return problem
  if (other === undefined && !isService(test)) return `--ab needs two services: load ${test} --ab ${ab} URL_B.`
  const wrong = [ab, other ?? test].find((service) => !isService(service))
  return wrong === undefined
    ? undefined
    : `--ab needs two services, each "simulated" or a URL such as https://host; got "${wrong}".`
}

/** What is wrong with the flags together, in one sentence; undefined when nothing is. */
export const problemIn = (flags: LoadFlags): string | undefined => {
  const { ab, folders, image, other, outputs, profile, rate, renders, target, test, vus } = flags
  const twice = outputs.find(({ name }, index) => outputs.findIndex((output) => output.name === name) < index)
  if (twice !== undefined) return `--out ${twice.name}=URL can be given once.`
  if (rate !== undefined && vus !== undefined) {
    return "--rate and --vus cannot be combined: with --vus the rate follows from response times."
  }
  if (renders) return inRender(flags)
  if (image !== undefined) return "--image needs --render k6-operator."
  if (folders[0] !== undefined) return `--out must be prometheus=URL or otlp=URL; got "${folders[0]}".`
  const problem = ab === undefined ? inOne(flags) : inPairs(flags, ab)
  const services = ab === undefined ? [target] : [ab, other ?? test]
  return (
    problem ??
    (profile !== undefined && !services.includes("simulated")
      ? "--profile applies only to the simulated service. Remove --profile or use the simulated service."
      : undefined)
  )
}
