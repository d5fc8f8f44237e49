import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { call } from "./Frame.ts"
import { type Hands, outward } from "./Hands.ts"
import { mainFrame } from "./Tab.ts"
import type { Mark } from "./world/Marking.ts"

/** Limits how long drawing may take. */
const patience = "3 seconds"

/** Draws the numbers of elements onto a picture of the tab in front. Without an answer of the page, it stays as it is. */
export const make =
  ({ tabs }: Pick<Hands, "tabs">) =>
  (jpeg: Uint8Array, numbers: ReadonlyArray<number>): Effect.Effect<Uint8Array> =>
    Effect.gen(function* () {
      const tab = tabs.front()
      const marks: Array<Mark> = []
      for (const frame of tab.frames.values()) {
        const own = numbers.filter((number) =>
          tab.numbers.some((range) => range.frame === frame.id && number >= range.from && number < range.to)
        )
        if (own.length === 0 || !tab.mayLoad(frame.url)) continue
        const inFrame = yield* call(frame, "marksOf", own)
        const corners = inFrame.flatMap(({ height, width, x, y }) => [
          { x, y },
          { x: x + width, y: y + height }
        ])
        const outside = yield* outward(tab, frame, corners)
        for (const [at, mark] of inFrame.entries()) {
          const [one, other] = [outside[2 * at] ?? mark, outside[2 * at + 1] ?? mark]
          const [width, height] = [Math.abs(other.x - one.x), Math.abs(other.y - one.y)]
          marks.push({ ...mark, x: Math.min(one.x, other.x), y: Math.min(one.y, other.y), width, height })
        }
      }
      const drawn = yield* call(mainFrame(tab), "drawMarks", Base64.encode(jpeg), marks)
      return Result.getOrElse(Base64.decode(drawn), () => jpeg)
    }).pipe(
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(jpeg) }),
      Effect.orElseSucceed(() => jpeg)
    )
