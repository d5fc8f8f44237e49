import { assert, it } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import { evaluated } from "./evaluated.ts"
import * as MiniWoBPages from "./MiniWoBPages.ts"
import * as RulesModel from "./RulesModel.ts"

/** Kinds that no rule can reach, each with the reason. */
const unreached: Readonly<Record<string, string>> = {
  "hover-shape": "its page never ends an episode, whatever is done",
  "count-sides": "the shape is drawn on a canvas, and no text has its sides",
  "drag-cube": "the cube is turned by CSS in three dimensions, and no text has its faces"
}

/** `WEBAGENT_MINIWOB_TRIALS` plays every kind that often. */
const trials = Number(process.env["WEBAGENT_MINIWOB_TRIALS"] ?? 0)
const miniwob = MiniWoBPages.folder()
const minutes = 60_000

it.live.runIf(trials > 0 && miniwob !== undefined)(
  "rules cover at least 95 % of all kinds of MiniWoB++, and none that is listed as unreached",
  () =>
    Effect.gen(function* () {
      const model = RulesModel.make()
      const { failed, results, said } = yield* evaluated(
        model,
        "miniwob",
        `--miniwob=${miniwob}`,
        `--trials=${trials}`,
        "--timeout=200s",
        "--server-flag=max-steps=300"
      )
      console.log([said, ...failed, ...model.errors()].join("\n"))
      const reached = results.filter((result) => result.trials.some(({ verdict }) => verdict === "passed"))
      assert.isAtLeast(results.length, 120)
      assert.isAtLeast(reached.length / results.length, 0.95, failed.join("\n"))
      assert.deepStrictEqual(
        reached.filter(({ name }) => Object.hasOwn(unreached, name)).map(({ name }) => name),
        []
      )
    }).pipe(Effect.provide(ScriptedModel.layer)),
  60 * minutes
)
