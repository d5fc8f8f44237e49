/**
 * The load test "smoke": does the service work at all when a few people use it at once?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("smoke")

export { default_ as default }
