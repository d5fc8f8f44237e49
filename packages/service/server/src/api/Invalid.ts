import { HTTPValidationError } from "@webagent/contract"

/** The 422 of a request with one wrong field. */
export const invalid = (loc: ReadonlyArray<string>, msg: string, type = "value_error"): HTTPValidationError =>
  new HTTPValidationError({ detail: [{ loc, msg, type }] })
