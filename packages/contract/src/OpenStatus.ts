import * as Schema from "effect/Schema"

/**
 * A status of which some values are known. The known ones are offered by editors, any other string decodes as
 * well: a service may add a state any day, and a client that refuses it would lose a paid run.
 */
export const openStatus = <const Known extends ReadonlyArray<string>>(known: Known) =>
  Schema.Union([Schema.Literals(known), Schema.StringForLiteralAutocomplete])
