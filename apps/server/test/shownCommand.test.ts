import { assert, describe, it } from "vitest"
import { shownCommand } from "../src/shownCommand.ts"

describe("a command line as others may see it", () => {
  it("keeps its flags and the path of its database", () => {
    assert.strictEqual(
      shownCommand(["serve", "--port", "8080", "--data", "my runs.db"]),
      'npm run server -- serve --port 8080 --data "my runs.db"'
    )
  })

  it("has no key, and no address of a database that may have a password", () => {
    const args = ["serve", "--api-key", "wak_secret", "--admin-key=wak_other", "--data", "postgres://me:pw@db/runs"]
    assert.strictEqual(shownCommand(args), "npm run server -- serve --api-key ... --admin-key=... --data ...")
    assert.strictEqual(shownCommand(["--data=postgres://me:pw@db/runs"]), "npm run server -- --data=...")
  })
})
