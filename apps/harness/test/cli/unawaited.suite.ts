import { scenario, Suite } from "@webagent/scenario/promise"

/** One scenario leaves a rejected promise behind; the others go on. */
export default Suite.make("unawaited", [
  scenario("leaves a promise", async ({ check }) => {
    void Promise.reject(new Error("boo"))
    await new Promise((resolve) => setTimeout(resolve, 20))
    check.isTrue(true, "it ends")
  }),
  scenario("goes on", async ({ check }) => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    check.isTrue(true, "it ends")
  })
])
