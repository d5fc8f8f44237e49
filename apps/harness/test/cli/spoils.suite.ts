import { check, scenario, Suite } from "@webagent/scenario"
import * as Config from "effect/Config"
import { mkdirSync, rmSync } from "node:fs"

/** Makes a folder where the environment says, as another program might while a night runs. */
export default Suite.make("spoils", [
  scenario("makes a folder", function* () {
    const path = yield* Config.String("SPOILS")
    rmSync(path, { force: true })
    mkdirSync(path)
    yield* check.isTrue(true, "it is there")
  })
])
