/**
 * The load test "spike": does the service live through a sudden rush, and recover?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("spike")

export { default_ as default }
