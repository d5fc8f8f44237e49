import { least, most } from "./Past.ts"

/** A night before, with what it says of a figure; `isMeasure` is false where it was said to be worse. */
export interface Point<A> {
  readonly startedAt: string
  readonly value: A
  readonly isMeasure: boolean
}

/** Tonight with some nights just before it, beside the nights before those. */
export interface Window<A> {
  /** How many nights `now` is of. */
  readonly size: number
  readonly since: string
  readonly now: ReadonlyArray<A>
  readonly before: ReadonlyArray<A>
}

/** In how many nights together one looks for a change: what one night is too small to show, three may. */
export const sizes = [1, 2, 3] as const

/** The windows for which there are enough nights before; `points` are oldest first. */
export const of = <A>(
  tonight: { readonly startedAt: string; readonly value: A },
  points: ReadonlyArray<Point<A>>,
  wanted: ReadonlyArray<number> = sizes
): ReadonlyArray<Window<A>> =>
  wanted.flatMap((size) => {
    const cut = points.length - (size - 1)
    if (cut < 0) return []
    const before = points
      .slice(0, cut)
      .filter(({ isMeasure }) => isMeasure)
      .slice(-most)
    if (before.length < least) return []
    const recent = points.slice(cut)
    return [
      {
        size,
        since: recent[0]?.startedAt ?? tonight.startedAt,
        now: [...recent.map(({ value }) => value), tonight.value],
        before: before.map(({ value }) => value)
      }
    ]
  })
