/** Does the service stay as fast and as small when a usual day does not end? Settings: docs/load-reference.md. */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("soak")

export { default_ as default }
