/** The innermost error of a chain of causes. A chain that leads back to itself ends where it would begin again. */
export const innermost = (error: unknown): unknown => {
  const seen = new Set<unknown>()
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error && !seen.has(cause)) {
    seen.add(cause)
    cause = cause.cause
  }
  return cause
}
