import { useAtomValue } from "../state/react.ts"
import { msOf, second, span } from "./format.ts"

interface TookProps {
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

const Growing = ({ started_ms }: { readonly started_ms: number }) =>
  span(Math.max(0, useAtomValue(second) - started_ms))

/** The duration of something, up to now while it runs. */
export const Took = ({ finishedAt, startedAt }: TookProps) => {
  if (startedAt === null) return "–"
  const started_ms = msOf(startedAt)
  return finishedAt === null ? <Growing started_ms={started_ms} /> : span(msOf(finishedAt) - started_ms)
}
