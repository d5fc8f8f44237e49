import * as Predicate from "effect/Predicate"

/** True if a request has the value of a secret in it. */
export const hasValues = (body: object): boolean =>
  Predicate.hasProperty(body, "secretBindings") &&
  Array.isArray(body.secretBindings) &&
  body.secretBindings.some(
    (one: unknown) => Predicate.hasProperty(one, "source") && Predicate.hasProperty(one.source, "value")
  )

/** Replaces the values of secrets in a request, so that a digest of it doesn't help to guess them. */
export const mapValues = (body: unknown, replace: (value: unknown) => unknown): unknown => {
  if (typeof body !== "object" || body === null || !hasValues(body)) return body
  const { secretBindings: bindings } = body as { readonly secretBindings: ReadonlyArray<unknown> }
  return {
    ...body,
    secretBindings: bindings.map((one) => {
      if (typeof one !== "object" || one === null || !Predicate.hasProperty(one, "source")) return one
      const { source } = one
      return typeof source === "object" && source !== null && Predicate.hasProperty(source, "value")
        ? { ...one, source: { ...source, value: replace(source.value) } }
        : one
    })
  }
}
