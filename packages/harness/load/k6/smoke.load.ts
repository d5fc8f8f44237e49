/** Does the service work at all when a few people use it at once? Settings: docs/load-reference.md. */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("smoke")

export { default_ as default }
