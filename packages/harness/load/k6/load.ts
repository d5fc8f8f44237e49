/** Runs the load test that WEBAGENT_LOAD_TEST names. Settings: docs/load-reference.md. */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make()

export { default_ as default }
