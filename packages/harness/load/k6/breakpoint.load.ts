/**
 * Finds how much load the service carries: the load grows until a threshold is crossed, which stops the test. Settings:
 * docs/load-reference.md.
 */
import { make } from "./Script.ts"

export const { options, setup, iterate: default_, handleSummary } = make("breakpoint")

export { default_ as default }
