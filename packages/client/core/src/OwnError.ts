import { UnauthorizedError } from "@webagent/contract"
import { parseJson } from "./Json.ts"
import { isRecord } from "./MustBe.ts"

/**
 * Returns whether the body of an error comes from the service: JSON with the `detail` of the description, or without
 * any other field. A gateway sends a page, or JSON with other fields.
 */
export const isOwn = (body: string): boolean => {
  const json = parseJson(body)
  return isRecord(json) && ("detail" in json || Object.keys(json).length === 0)
}

/** Returns whether a 401 comes from something in front of the service, judging by its body. */
export const isForeign401 = (error: unknown): boolean =>
  error instanceof UnauthorizedError && error.body !== undefined && !isOwn(error.body)
