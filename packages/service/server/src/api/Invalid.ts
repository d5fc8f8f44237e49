import { HTTPValidationError } from "@webagent/contract"

/** The 422 of a request with one wrong field. */
export const invalid = (loc: ReadonlyArray<string | number>, msg: string, type = "value_error"): HTTPValidationError =>
  new HTTPValidationError({ detail: [{ loc, msg, type }] })

/** The same error of a field in an object of the body. */
export const inField = (name: string, { detail = [] }: HTTPValidationError): HTTPValidationError =>
  new HTTPValidationError({
    detail: detail.map((issue) => ({ ...issue, loc: ["body", name, ...issue.loc.slice(1)] }))
  })
