/**
 * The load test "spike": does the service live through a sudden rush, and recover?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import * as LoadTest from "./LoadTest.ts"

export const {
  options,
  setup,
  iterate: default_,
  handleSummary
} = LoadTest.make("spike", {
  rate: 100,
  duration: "1m",
  mix: "runs=4,browsers=2,status=8,queue=1,v3=2,v2=1"
})

export { default_ as default }
