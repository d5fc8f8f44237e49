const units_ms = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** The milliseconds of a time as k6 writes it, `1m30s`; undefined when it is none. */
export const toMillis = (text: string): number | undefined => {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/u.test(text)) return undefined
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gu)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * units_ms[unit as keyof typeof units_ms],
    0
  )
}
