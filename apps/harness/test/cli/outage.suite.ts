import { check, scenario, type ScenarioContext, Suite } from "@webagent/scenario"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

const away = Deferred.makeUnsafe<void>()
let isOver = false

const unknown = { method: "GET", path: "/sessions/00000000-0000-4000-8000-000000000000" } as const

const ask = ({ request }: ScenarioContext) => Effect.map(request("v2", unknown), ({ status }) => status)

/** The first trial of the first scenario lasts through an outage; the second scenario meets it. */
export default Suite.make("outage", [
  scenario("lasts through an outage", function* (context) {
    if (!isOver) {
      console.log("until the service is away")
      yield* ask(context).pipe(Effect.delay("20 millis"), Effect.forever, Effect.ignore)
      isOver = true
      yield* Deferred.succeed(away, undefined)
    }
    const status = yield* ask(context).pipe(Effect.retry(Schedule.spaced("20 millis")))
    yield* check.equal(status, 404, "the status of an unknown session")
  }),
  scenario("sends a request while the service is away", { trials: 20 }, function* (context) {
    yield* Deferred.await(away)
    yield* check.equal(yield* ask(context), 404, "the status of an unknown session")
  })
])
