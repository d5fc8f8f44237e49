/** A limit as k6 writes it: `p(95)<50` compares the statistic `p(95)` with 50. k6 reads this module too, so it imports nothing. */
export interface ThresholdExpression {
  readonly statistic: string
  readonly operator: string
  readonly limit: number
}

const comparisons: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "==": (value, limit) => value === limit,
  "===": (value, limit) => value === limit,
  "!=": (value, limit) => value !== limit
}

const form = /^\s*(p\(\d+(?:\.\d+)?\)|[a-z]+)\s*([<>]=?|={2,3}|!=)\s*(-?\d+(?:\.\d+)?)\s*$/u

/** Reads an expression; undefined when it is none. */
export const parse = (text: string): ThresholdExpression | undefined => {
  const [, statistic, operator, limit] = form.exec(text) ?? []
  return statistic === undefined || operator === undefined ? undefined : { statistic, operator, limit: Number(limit) }
}

/**
 * Returns whether statistics satisfy an expression, as k6 decides it: a missing statistic is 0, and an unreadable
 * expression is crossed.
 */
export const holds = (text: string, statistics: Readonly<Record<string, number | null>>): boolean => {
  const expression = parse(text)
  if (expression === undefined) return false
  const { limit, operator, statistic } = expression
  return comparisons[operator]?.(statistics[statistic] ?? 0, limit) ?? false
}
