import type { NightFigure, NightFigures } from "@webagent/harness-api"
import { span } from "../../ui/format.ts"
import { usd } from "../state/cost.ts"
import { described, drawn, type Drawn, type Heat, legendOf, type Line, type Night } from "./heat.ts"

/** Contents of the cells, as the page's address has them. */
export const shows = ["result", "duration", "cost"] as const
export type Show = (typeof shows)[number]

/** The drawing of cells, and their words. */
export interface View {
  readonly drawn: (line: Line, night: Night) => Drawn
  readonly described: (line: Line, night: Night) => string
  readonly legend: (heat: Heat) => ReadonlyArray<Drawn & { readonly words: string }>
}

/** Cells with the results of their trials. */
export const results: View = { drawn, described, legend: legendOf }

const nothing: Drawn = { text: "", look: "none" }
const near: Drawn = { text: "·", look: "still" }

/** A figure as a multiple of the usual one: steps that can be told from each other. */
const ofRatio = (ratio: number): Drawn => {
  if (ratio <= 1.25 && ratio >= 0.8) return near
  return {
    text: `×${ratio.toFixed(ratio < 9.95 ? 1 : 0)}`,
    look: ratio > 1.75 ? "bad" : ratio > 1.25 ? "warn" : "ok"
  }
}

const medianOf = (figures: ReadonlyArray<number>): number => {
  const sorted = figures.filter((figure) => figure > 0).toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Cells with a figure of each scenario, compared with the scenario's median over the nights that are shown. */
export const measured = (figure: NightFigure, { nights, rows }: NightFigures): View => {
  const indexes = new Map(nights.map((id, index) => [id, index]))
  const usual = rows.map(medianOf)
  const figureOf = ({ index }: Line, { of }: Night) => rows[index]?.[indexes.get(of.id) ?? -1] ?? 0
  const ratioOf = (line: Line, night: Night): number => figureOf(line, night) / (usual[line.index] ?? 0)
  const textOf = (value: number) => (figure === "duration" ? span(value) : usd(String(value)))
  return {
    drawn: (line, night) => {
      const ratio = ratioOf(line, night)
      return ratio > 0 ? ofRatio(ratio) : nothing
    },
    described: (line, night) => {
      const ratio = ratioOf(line, night)
      if (!(ratio > 0)) return "not measured"
      const usually = textOf(usual[line.index] ?? 0)
      return `${textOf(figureOf(line, night))}, ${ratio.toFixed(1)} times the median of ${usually}`
    },
    legend: () => [
      { ...ofRatio(2), words: "times the median, much more" },
      { ...ofRatio(1.5), words: "more" },
      { ...near, words: "near the median" },
      { ...ofRatio(0.5), words: "less" }
    ]
  }
}
