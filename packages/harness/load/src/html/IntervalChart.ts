import { escape } from "@webagent/cli/Xml"
import type { Conclusion } from "../AbComparison.ts"
import { changeText } from "../AbReport.ts"

/** One ratio with its interval. */
interface RatioLine {
  readonly label: string
  readonly ratio: number
  readonly low: number
  readonly high: number
  /** The smallest ratio for the worse that would most likely have been seen. */
  readonly detectable: number
  readonly verdict: Conclusion
}

const width = 640
const rowHeight = 34
// half of a tick's text stands beyond the last one, in the larger letters of a phone too
const margin = { top: 10, right: 40, bottom: 28, left: 220 }

// more than that is drawn at the edge
const widest = 4

// the ones that are wanted most come first
const ticks = [1, 2, 0.5, 1.3, 0.7, 4, 0.25, 1.5, 1.1, 0.9, 1.2, 0.8, 3]
// nearer to each other and their texts would touch
const apart = 66

/** Returns the distance of the scale's ends from 1. */
const reachOf = (lines: ReadonlyArray<RatioLine>, tolerance: number): number => {
  const ends = lines
    .flatMap(({ detectable, high, low }) => [high, 1 / low, detectable, 1 / detectable])
    .filter(Number.isFinite)
  return Math.min(widest, Math.max(1.2, (1 + tolerance) * 1.1, ...ends) * 1.05)
}

/** Ratios with their intervals on one logarithmic scale as SVG; a band shows the tolerance. */
export const render = (title: string, lines: ReadonlyArray<RatioLine>, tolerance: number): string => {
  const height = margin.top + lines.length * rowHeight + margin.bottom
  const bottom = height - margin.bottom
  const reach = reachOf(lines, tolerance)
  const inner = width - margin.left - margin.right
  const x = (ratio: number) => {
    const share = Math.log(Math.min(reach, Math.max(1 / reach, ratio))) / Math.log(reach)
    return Number((margin.left + ((share + 1) / 2) * inner).toFixed(1))
  }
  const shown = ticks.reduce<ReadonlyArray<number>>((kept, ratio) => {
    const isFree = ratio <= reach && ratio >= 1 / reach && kept.every((other) => Math.abs(x(other) - x(ratio)) >= apart)
    return isFree ? [...kept, ratio] : kept
  }, [])
  const scale = shown.map(
    (ratio) =>
      `<line class="${ratio === 1 ? "even" : "grid"}" x1="${x(ratio)}" x2="${x(ratio)}" y1="${margin.top}" y2="${bottom}"/><text x="${x(ratio)}" y="${height - 8}" text-anchor="middle">${changeText(ratio)}</text>`
  )
  const [from, to] = [x(1 / (1 + tolerance)), x(1 + tolerance)]
  const band = `<rect class="band" x="${from}" y="${margin.top}" width="${Number((to - from).toFixed(1))}" height="${bottom - margin.top}"/>`
  const rows = lines.map(({ detectable, high, label, low, ratio, verdict }, index) => {
    const y = margin.top + (index + 0.5) * rowHeight
    const tick =
      detectable > reach || detectable < 1 / reach
        ? ""
        : `<line class="detectable" x1="${x(detectable)}" x2="${x(detectable)}" y1="${y - 8}" y2="${y + 8}"/>`
    const text = `${label}: ${changeText(ratio)}, 95 % interval ${changeText(low)} to ${changeText(high)}, ${verdict}`
    return `<g class="${verdict === "worse" || verdict === "better" ? verdict : ""}"><title>${escape(text)}</title><text x="${margin.left - 12}" y="${y + 4}" text-anchor="end">${escape(label)}</text>${tick}<line class="interval" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/><circle class="estimate" cx="${x(ratio)}" cy="${y}" r="5"/></g>`
  })
  return `<figure><figcaption>${escape(title)}</figcaption><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">${band}${scale.join("")}${rows.join("")}</svg></figure>`
}
