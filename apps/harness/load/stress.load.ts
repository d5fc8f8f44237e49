/**
 * The load test "stress": does the service carry its busiest hour?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import * as LoadTest from "./LoadTest.ts"

export const {
  options,
  setup,
  iterate: default_,
  handleSummary
} = LoadTest.make("stress", {
  rate: 60,
  duration: "2m",
  mix: "runs=4,browsers=2,status=8,queue=1,v3=2,v2=1"
})

export { default_ as default }
