import * as Schema from "effect/Schema"

/** Size of a browser's window, in CSS pixels. */
export const Screen = Schema.Struct({ width: Schema.Int, height: Schema.Int })

export type Screen = typeof Screen.Type
