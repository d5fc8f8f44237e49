/** A duration for a person: `3 ms`, `0.3 s`, `41 s`, `2 min 05 s`. */
export const duration = (duration_ms: number): string => {
  if (duration_ms < 100) return `${Math.round(duration_ms)} ms`
  if (duration_ms < 9950) return `${(duration_ms / 1000).toFixed(1)} s`
  const seconds = Math.round(duration_ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`
}

/** A share in percent: `97.5 %`, `100 %`. */
export const percent = (share: number): string => `${(100 * share).toFixed(share > 0 && share < 1 ? 1 : 0)} %`

/** A number with its noun: `1 browser`, `2 browsers`; `plural` is what is added. */
export const counted = (count: number, noun: string, plural = "s"): string =>
  `${count} ${noun}${count === 1 ? "" : plural}`

/** Text cut to a width, with an ellipsis when something is missing. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : width < 1 ? "" : `${text.slice(0, width - 1)}…`
