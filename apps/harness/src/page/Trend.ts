import { number } from "@webagent/cli/Text"
import { escape } from "@webagent/cli/Xml"

/** A figure over the last nights; null where a night has none. */
interface TrendOptions {
  readonly title: string
  readonly values: ReadonlyArray<number | null>
  readonly format: (value: number) => string
  /** Which values are worse than usual. */
  readonly worse: "more" | "less"
  readonly nights: ReadonlyArray<TrendNight>
}

/** A night as its point is told: `2026-11-21`, with its time where a day has several, and where its report is. */
export interface TrendNight {
  readonly day: string
  readonly href: string | undefined
}

const width = 200
const height = 40
const at = (value: number) => String(Number(value.toFixed(1)))

// fewer nights have no normal band
const leastNights = 5

/** The middle 80 % of earlier nights. */
const bandOf = (before: ReadonlyArray<number>): readonly [low: number, high: number] | undefined => {
  const sorted = before.toSorted((a, b) => a - b)
  const low = sorted[Math.floor(sorted.length * 0.1)]
  const high = sorted[Math.ceil(sorted.length * 0.9) - 1]
  return sorted.length < leastNights || low === undefined || high === undefined ? undefined : [low, high]
}

const isOutside = (now: number, band: readonly [low: number, high: number] | undefined) =>
  band !== undefined && (now < band[0] || now > band[1])

// more than this many times the usual is far from it
const far = 1.5

/**
 * That a figure is as usual, or what it usually is where tonight's is outside the normal band, and whether it is far
 * above that.
 */
export const usually = (
  before: ReadonlyArray<number>,
  now: number,
  format: (value: number) => string
): { readonly text: string; readonly isFar: boolean } => {
  if (before.length < leastNights) return { text: "", isFar: false }
  const usual = before.toSorted((a, b) => a - b)[before.length >> 1] ?? 0
  if (!isOutside(now, bandOf(before)) || format(usual) === format(now)) return { text: "as usual", isFar: false }
  return usual > 0 && now > far * usual
    ? { text: `${number(now / usual)} times the usual ${format(usual)}`, isFar: true }
    : { text: `usually ${format(usual)}`, isFar: false }
}

/** A small line of one figure over the last nights, its normal band, and tonight's dot; each night says its value. */
export const render = ({ format, nights, title, values, worse }: TrendOptions): string => {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]))
  if (known.length === 0) return ""
  const last = values.at(-1) ?? null
  const now = last === null ? "none" : format(last)
  const [low, high] = [Math.min(...known.map(({ value }) => value)), Math.max(...known.map(({ value }) => value))]
  const x = (index: number) => (values.length === 1 ? width : (index / (values.length - 1)) * width)
  const y = (value: number) => (high === low ? height / 2 : 3 + (1 - (value - low) / (high - low)) * (height - 6))
  const path = known.map(({ index, value }, n) => `${n === 0 ? "M" : "L"}${at(x(index))} ${at(y(value))}`).join("")
  const band = bandOf(values.slice(0, -1).filter((value) => value !== null))
  const area =
    band === undefined || high === low
      ? ""
      : `<rect class="band" x="0" width="${width}" y="${at(y(band[1]))}" height="${at(Math.max(1, y(band[0]) - y(band[1])))}"/>`
  // what reads the same is not worse
  const edge = worse === "more" ? band?.[1] : band?.[0]
  const isWorse =
    last !== null &&
    edge !== undefined &&
    (worse === "more" ? last > edge : last < edge) &&
    format(last) !== format(edge)
  const dot =
    last === null
      ? ""
      : `<path class="line dot${isWorse ? " worse" : ""}" d="M${at(x(values.length - 1))} ${at(y(last))}h0"/>`
  const step = width / Math.max(values.length - 1, 1)
  const hovers = known.map(({ index, value }) => {
    const { day, href } = nights[index] ?? { day: "", href: undefined }
    const rect = `<rect class="hover" x="${at(x(index) - step / 2)}" width="${at(step)}" y="-4" height="${height + 8}"><title>${escape(`${day}: ${format(value)}`)}</title></rect>`
    // a list of the same links is below: one way for the keyboard is enough
    return href === undefined ? rect : `<a href="${escape(href)}" tabindex="-1">${rect}</a>`
  })
  const range = high === low ? `always ${format(low)}` : `${format(low)} to ${format(high)}`
  const [least, most] = band === undefined ? [] : band.map((value) => format(value))
  const normal = band === undefined || high === low ? "" : ` · normal ${least === most ? least : `${least} to ${most}`}`
  const words = `${title}, ${values.length} nights until ${nights.at(-1)?.day ?? ""}: now ${now}, ${range}${normal}`
  return `<figure class="trend"><figcaption>${escape(title)}</figcaption><div class="now">${escape(now)}</div><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${area}<path class="line" d="${path}"/>${dot}${hovers.join("")}</svg><span class="sr">${escape(words)}</span><div class="range">${escape(`${range}${normal}`)}</div></figure>`
}
