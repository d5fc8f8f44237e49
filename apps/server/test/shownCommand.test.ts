import { assert, describe, it } from "vitest"
import { shownCommand } from "../src/shownCommand.ts"

describe("a command line without secrets", () => {
  it("keeps flags and the path of a database", () => {
    assert.strictEqual(
      shownCommand(["serve", "--port", "8080", "--data", "my runs.db"]),
      'npm run server -- serve --port 8080 --data "my runs.db"'
    )
  })

  it("omits keys, and database addresses that may contain a password", () => {
    const args = ["serve", "--api-key", "wak_secret", "--admin-key=wak_other", "--data", "postgres://me:pw@db/runs"]
    assert.strictEqual(shownCommand(args), "npm run server -- serve --api-key ... --admin-key=... --data ...")
    assert.strictEqual(shownCommand(["--data=postgres://me:pw@db/runs"]), "npm run server -- --data=...")
  })
})
