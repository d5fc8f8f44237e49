/** Draws of one purpose: a stream of its own, so that a draw more elsewhere changes nothing here. */
export interface Dice {
  /** In [0, 1). */
  readonly next: () => number
  readonly chance: (probability: number) => boolean
  /** A whole number from `min` to `max`, both included. */
  readonly whole: (min: number, max: number) => number
  /** Between the two, small ones more often: every order of magnitude is as likely as any other. */
  readonly scale: (min: number, max: number) => number
  readonly choice: <A>(from: readonly [A, ...ReadonlyArray<A>]) => A
}

const mix = (value: number): number => {
  let mixed = Math.imul(value ^ (value >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** The draws for a purpose under a seed. */
export const make = (seed: number, purpose: string): Dice => {
  let state = mix(seed + 0x9e3779b9)
  for (const character of purpose) state = mix(state + (character.codePointAt(0) ?? 0))
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0
    return mix(state) / 2 ** 32
  }
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    chance: (probability) => next() < probability,
    whole,
    scale: (min, max) => min * (max / min) ** next(),
    choice: (from) => from[whole(0, from.length - 1)] ?? from[0]
  }
}
