import { describe } from "vitest"
import { isWhole } from "../screens/Console.ts"
import { join } from "node:path"
import { basic } from "./Basic.ts"
import { further } from "./Further.ts"
import * as Program from "./Program.ts"
import { travel, useStage } from "./Stage.ts"

describe("the console of a server over SQLite, using only the keyboard", () => {
  const stage = useStage(async () => {
    const { path, remove } = Program.folder()
    const data = join(path, "server.db")
    const key = await Program.createKey(data, "me")
    const { address, process: server } = await Program.serve(data)
    return {
      address,
      key,
      stop: async () => {
        server.kill("SIGKILL")
        remove()
      }
    }
  })
  travel(stage, isWhole ? [...basic, ...further] : basic)
})
