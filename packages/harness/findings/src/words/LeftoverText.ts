import type { Leftover } from "@webagent/report/Trial"

/** Describes a resource that was not seen to its end, and what the harness could do about it. */
export const text = ({ id, kind, reason, sentence, state, why = "" }: Leftover): string => {
  if (sentence !== undefined) return sentence
  const because = reason === undefined ? "" : ` (${reason})`
  // an error of a client is a sentence already
  const end = why.endsWith(".") ? "" : "."
  if (state === "unknown") return `A ${kind} may exist: ${why}${end}`
  return state === "open"
    ? `The ${kind} ${id} may still be running and cost money${because}: ${why}${end}`
    : `The ${kind} ${id} was left open${because} and was stopped.`
}
