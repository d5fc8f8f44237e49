/**
 * The load test "soak": does the service stay as fast and as small when a usual day does not end?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import * as LoadTest from "./LoadTest.ts"

export const {
  options,
  setup,
  iterate: default_,
  handleSummary
} = LoadTest.make("soak", {
  rate: 10,
  duration: "20m",
  mix: "runs=4,browsers=2,status=8,queue=1,v3=2,v2=1"
})

export { default_ as default }
