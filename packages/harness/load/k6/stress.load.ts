/**
 * The load test "stress": does the service carry its busiest hour?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("stress")

export { default_ as default }
