import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { settle } from "../../src/leftovers/Settlement.ts"
import * as TrialLog from "../../src/observe/TrialLog.ts"
import { live, serverOf } from "../run/inspected.ts"

const lacking = { fault: { kind: "status", status: 404 }, when: { operations: ["v4.cancelRun"] } } as const

describe("settle", () => {
  it.live("reports a run as still running if the service is too slow to be read in time", () =>
    Effect.gen(function* () {
      // the second response comes after the time is over, as on a machine under load
      const slow = { kind: "slow-headers", for: Duration.seconds(10) } as const
      const server = yield* serverOf({
        faults: [lacking, { fault: slow, when: { operations: ["v4.getRun"], nth: [2] } }]
      })
      const target = yield* server.target(false)
      const log = TrialLog.make()
      const create = target
        .contextOf(0)
        .request("v4", { method: "POST", path: "/runs", body: { task: "[simulate duration=1h]" } })
      yield* Effect.provideService(create, TrialLog.TrialLog, log)
      const states = yield* settle(target, log, {
        ended: new Set(),
        needsCosts: false,
        time: Duration.seconds(2)
      })
      assert.deepStrictEqual([...states.values()], ["running"])
    }).pipe(Effect.scoped, live)
  )
})
