import { byteSize, count, counted } from "../../ui/format.ts"

/** The facts of a server's health that a person reads; each is null if the server doesn't report it. */
export interface HealthFacts {
  readonly database: string | null
  readonly problem: string | null
  readonly queued: string | null
  readonly running: string | null
}

type Unknowns = Readonly<Record<string, unknown>>

const partOf = (value: unknown, name: string): Unknowns => {
  const part = typeof value === "object" && value !== null ? (value as Unknowns)[name] : undefined
  return typeof part === "object" && part !== null ? (part as Unknowns) : {}
}

const numberOf = (value: unknown): string | null => (typeof value === "number" ? count(value) : null)

/** Reads the details of a server's health. They have no fixed form: a simulated service has none. */
export const factsOf = (details: Unknowns, reason: string | null = null): HealthFacts => {
  const { bytes, kind, writeError } = partOf(details, "store")
  const { processes, seconds } = partOf(partOf(partOf(details, "store"), "log"), "blockedBy")
  const { queued, running } = partOf(details, "runs")
  const size = typeof bytes === "number" ? `, ${byteSize(bytes)}` : ""
  const blocked =
    Array.isArray(processes) && typeof seconds === "number"
      ? `${processes.length === 0 ? "A reader" : counted(processes.length, "process", "processes")} kept the write-ahead log from shrinking for ${seconds} s`
      : null
  return {
    database: typeof kind === "string" ? `${kind}${size}` : null,
    // then the reason is that writes fail
    problem:
      typeof writeError === "string"
        ? `Writes fail: ${writeError}`
        : [reason, blocked].filter((part) => part !== null).join(". ") || null,
    queued: numberOf(queued),
    running: numberOf(running)
  }
}
