/** Does the service carry a usual day? Settings: docs/load-reference.md. */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("average-load")

export { default_ as default }
