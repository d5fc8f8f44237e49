import { UnauthorizedError } from "@webagent/contract"

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/**
 * Whether the body of an error is one of the service's own: JSON with the `detail` that the description shows, which may
 * be left out, and then with nothing in its place. A gateway answers a page, or JSON with other fields.
 */
export const isOwn = (body: string): boolean => {
  const json = parse(body)
  if (typeof json !== "object" || json === null || Array.isArray(json)) return false
  return "detail" in json || Object.keys(json).length === 0
}

/** Whether a 401 comes from something in front of the service, by its body. */
export const isForeign401 = (error: unknown): boolean =>
  error instanceof UnauthorizedError && error.body !== undefined && !isOwn(error.body)
