/**
 * The load test "average-load": does the service carry a usual day?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("average-load")

export { default_ as default }
