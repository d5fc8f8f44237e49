import { check, scenario, Suite } from "@webagent/scenario"
import { mkdirSync } from "node:fs"

/** Makes a folder where the environment says, as another program might while a night runs. */
export default Suite.make("spoils", [
  scenario("makes a folder", function* () {
    mkdirSync(process.env["SPOILS"] ?? "", { recursive: true })
    yield* check.isTrue(true, "it is there")
  })
])
