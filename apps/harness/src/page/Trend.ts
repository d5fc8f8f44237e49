import { escape } from "@webagent/report/Xml"

/** A figure over the last nights; null where a night has none. */
export interface TrendOptions {
  readonly title: string
  readonly values: ReadonlyArray<number | null>
  readonly format: (value: number) => string
  /** By night: `2026-11-21`. */
  readonly nights: ReadonlyArray<string>
}

const width = 200
const height = 40
const at = (value: number) => String(Number(value.toFixed(1)))

/** A small line of one figure over the last nights, tonight's as a dot, with its words beside it. */
export const render = ({ format, nights, title, values }: TrendOptions): string => {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]))
  if (known.length === 0) return ""
  const last = values.at(-1) ?? null
  const now = last === null ? "none" : format(last)
  const [low, high] = [Math.min(...known.map(({ value }) => value)), Math.max(...known.map(({ value }) => value))]
  const x = (index: number) => (values.length === 1 ? width : (index / (values.length - 1)) * width)
  const y = (value: number) => (high === low ? height / 2 : 3 + (1 - (value - low) / (high - low)) * (height - 6))
  const path = known.map(({ index, value }, n) => `${n === 0 ? "M" : "L"}${at(x(index))} ${at(y(value))}`).join("")
  const dot =
    last === null
      ? ""
      : `<path class="line" stroke-linecap="round" d="M${at(x(values.length - 1))} ${at(y(last))}h0" stroke-width="7"/>`
  const words = `${title}, ${values.length} nights until ${nights.at(-1) ?? ""}: now ${now}, between ${format(low)} and ${format(high)}`
  const range = high === low ? `always ${format(low)}` : `${format(low)} .. ${format(high)}`
  return `<figure class="trend"><figcaption>${escape(title)}</figcaption><div class="now">${escape(now)}</div><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${escape(words)}"><path class="line" d="${path}"/>${dot}</svg><div class="range">${escape(range)}</div></figure>`
}
