/**
 * The load test "smoke": does the service work at all when a few people use it at once?
 *
 * Settings are environment variables; docs/load.md lists them.
 */
import * as LoadTest from "./LoadTest.ts"

export const {
  options,
  setup,
  iterate: default_,
  handleSummary
} = LoadTest.make("smoke", {
  rate: 5,
  duration: "5s",
  mix: "runs=1,browsers=1,status=1,queue=1,v3=1,v2=1"
})

export { default_ as default }
