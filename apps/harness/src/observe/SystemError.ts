/** The code that the system gave an error, such as `ECONNREFUSED`, however deep it lies. */
export const codeOf = (error: unknown): string | undefined => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string" && /^(?:E|UND_ERR)/u.test(cause.code)) return cause.code
    if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return codeOf(cause.errors[0])
  }
  return undefined
}
