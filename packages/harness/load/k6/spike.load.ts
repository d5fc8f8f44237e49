/** Does the service live through a sudden rush, and recover? Settings: docs/load-reference.md. */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("spike")

export { default_ as default }
