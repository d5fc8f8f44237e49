import * as Discrete from "./Discrete.ts"
import { logChoose } from "./Gamma.ts"

/** How many marked ones are among so many drawn out of all, each as likely as the others. */
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
