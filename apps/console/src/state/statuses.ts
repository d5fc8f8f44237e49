/** The statuses and kinds of events whose own word tells little, with a better one and perhaps a sentence. */
const words: Readonly<Record<string, readonly [word: string, meaning?: string]>> = {
  gap: ["lost connection"],
  modelCall: ["model call"],
  dispatching: ["starting", "A server has taken the run and starts its browser. The API calls this dispatching."]
}

/** The word that a person reads for a status of the API, in the middle of a sentence. */
export const statusText = (status: string): string => words[status]?.[0] ?? status.slice(0, 40)

/** The word that a person reads for a status of the API. */
export const statusWord = (status: string): string => {
  const text = statusText(status)
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** A sentence about a status whose word needs one. */
export const statusMeaning = (status: string): string | undefined => words[status]?.[1]
