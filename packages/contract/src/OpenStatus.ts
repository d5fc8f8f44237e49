import * as Schema from "effect/Schema"
import type { OpenStatus } from "./Wire.ts"

const anyStatus = Schema.String as object as Schema.Codec<OpenStatus, string>

/**
 * A status with some known values. Any other string decodes as well, as an OpenStatus: a service may add a state any
 * day, and a client that refuses it would lose a paid run.
 */
export const openStatus = <const Known extends ReadonlyArray<string>>(statuses: Known) =>
  Schema.Union([Schema.Literals(statuses), anyStatus])
