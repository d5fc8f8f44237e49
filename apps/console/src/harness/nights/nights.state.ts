import type { NightFigure } from "@webagent/harness-api"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { read } from "../state/source.ts"
import { heatOf } from "./heat.ts"
import { measured } from "./measure.ts"
import { wholeRowOf } from "./rows.ts"

/** Nights that a page asks for: a year. */
export const most = 365

/** Scenarios by nights, with what the screens need to know of the response. */
export const nights = read("nights", (source) =>
  // the script of the rows about whole nights comes with the nights, not with the page
  Effect.flatMap(
    Effect.promise(() => import("./whole.ts")),
    ({ wholeLinesOf }) =>
      Effect.map(source.nights(most), (map) => {
        const heat = heatOf(map)
        return { heat, whole: wholeLinesOf(heat).map(wholeRowOf), total: map.total, problems: map.problems }
      })
  )
).pipe(Atom.keepAlive)

/** Cells with a figure of each scenario. */
export const viewOf = Atom.family((figure: NightFigure) =>
  read("nights", (source) => Effect.map(source.figures(figure, most), (figures) => measured(figure, figures)))
)
