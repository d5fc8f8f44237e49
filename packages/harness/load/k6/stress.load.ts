/** Does the service carry its busiest hour? Settings: docs/load-reference.md. */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("stress")

export { default_ as default }
