/**
 * What a simulated agent is told to do, written into the task as one bracket. Durations are an Effect duration
 * without the space (`"200ms"`, `"2s"`), `cost` is a decimal string in USD, `proxyMb` one in MB.
 */
export interface TaskScript {
  readonly outcome?: "completed" | "failed" | "cancelled"
  readonly duration?: string
  /** Any JSON value; a v2 task shows it as text. */
  readonly output?: unknown
  readonly error?: string
  readonly cost?: string
  /** The agent's own opinion of its success. */
  readonly success?: boolean
  /** A judge's verdict, which comes with a report. */
  readonly judge?: boolean
  /** How many suggestions come with the task. */
  readonly suggestions?: number
  readonly keepAlive?: boolean
  readonly persistMemory?: boolean
  readonly recording?: boolean
  readonly proxyMb?: string
}

const bare = /^[\w.+-]+$/u
const asText = new Set(["outcome", "duration", "cost", "proxyMb"])

const written = (key: string, value: unknown): string =>
  asText.has(key) && typeof value === "string" && bare.test(value) ? value : JSON.stringify(value)

/** The task with the script's bracket behind it: `Buy a mug [simulate outcome=failed error="no mug"]`. */
export const simulate = (task: string, script: TaskScript): string => {
  const entries = Object.entries(script).filter(([, value]) => value !== undefined)
  return `${task} [${["simulate", ...entries.map(([key, value]) => `${key}=${written(key, value)}`)].join(" ")}]`
}
