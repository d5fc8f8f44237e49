import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Context from "effect/Context"
import * as Scope from "effect/Scope"
import { assert, describe, it } from "vitest"
import { isWhole } from "../screens/Console.ts"
import { basic } from "./Basic.ts"
import { further } from "./Further.ts"
import { confirm, goTo, press, start } from "./Keyboard.ts"
import * as Program from "./Program.ts"
import { travel, useStage } from "./Stage.ts"

describe.runIf(isWhole)("the console of two nodes over Postgres, using only the keyboard", () => {
  const stage = useStage(async () => {
    const scope = Effect.runSync(Scope.make())
    const { database } = Context.get(
      await Effect.runPromise(Scope.provide(Layer.build(TestPostgres.layer), scope)),
      TestPostgres
    )
    const data = await Effect.runPromise(database)
    const key = await Program.createKey(data, "me")
    const nodes = [await Program.serve(data, ["--node", "east"]), await Program.serve(data, ["--node", "west"])]
    return {
      address: nodes[1]?.address ?? "",
      key,
      otherNode: "east",
      stop: async () => {
        for (const { process: node } of nodes) node.kill("SIGKILL")
        await Effect.runPromise(Scope.close(scope, Exit.void))
      }
    }
  })
  it("drains a node whose runs another one takes over, and undoes it", async () => {
    const { otherNode, page } = stage()
    await goTo(page, "n", "Nodes")
    await confirm(page, `Drain ${otherNode}`)
    await page.locator("[data-status=draining]").waitFor()
    /** Starts a run, and returns the name of the node that did it. */
    const nodeOf = async (task: string) => {
      await start(page, `${task} [simulate duration=100ms output=done]`)
      await page.locator("[data-status=completed]").first().waitFor()
      return (
        await page
          .locator("dd")
          .getByText(/^(?:east|west)/u)
          .textContent()
      )?.slice(0, 4)
    }
    // the other node reads that it drains with its next heartbeat, and may take a run before that
    while ((await nodeOf("Zero")) === "east");
    for (const task of ["One", "Two", "Three"]) assert.strictEqual(await nodeOf(task), "west")
    await goTo(page, "n", "Nodes")
    await press(page, `Accept work again on ${otherNode}`)
    await page.locator("[data-status=draining]").waitFor({ state: "detached" })
    const nodes = page.getByRole("region", { name: "Nodes" })
    await nodes.locator("[data-status=ok]").nth(1).waitFor()
  })

  travel(stage, [...basic, ...further])
})
