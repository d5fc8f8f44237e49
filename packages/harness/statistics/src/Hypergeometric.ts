import * as Discrete from "./Discrete.ts"
import { logChoose } from "./Gamma.ts"

/** The distribution of marked items among `drawn` items, drawn out of `all` with equal chances. */
export const of = (marked: number, drawn: number, all: number): Discrete.Discrete => {
  const least = Math.max(0, drawn + marked - all)
  const most = Math.min(drawn, marked)
  return Discrete.ofLogarithms(
    least,
    Array.from(
      { length: most - least + 1 },
      (_, index) => logChoose(marked, least + index) + logChoose(all - marked, drawn - least - index)
    )
  )
}
