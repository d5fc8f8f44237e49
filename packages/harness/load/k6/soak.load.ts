/**
 * The load test "soak": does the service stay as fast and as small when a usual day does not end?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("soak")

export { default_ as default }
