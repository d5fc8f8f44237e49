/**
 * The load test "average-load": does the service carry a usual day?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import * as LoadTest from "./LoadTest.ts"

export const {
  options,
  setup,
  iterate: default_,
  handleSummary
} = LoadTest.make("average-load", {
  rate: 20,
  duration: "1m",
  mix: "runs=4,browsers=2,status=8,queue=1,v3=2,v2=1"
})

export { default_ as default }
