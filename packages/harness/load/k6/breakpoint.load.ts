/** How much does the service carry? The load grows until a threshold is crossed, which ends the test. Settings: docs/load-reference.md. */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("breakpoint")

export { default_ as default }
