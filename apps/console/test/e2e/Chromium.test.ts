import { type ModelMessage, ScriptedModel } from "@webagent/scripted-model"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { checkAccessibility, isWhole } from "../screens/Console.ts"
import { goTo, press, save, start, tabTo, toFirstRow } from "./Keyboard.ts"
import * as Program from "./Program.ts"
import { useStage } from "./Stage.ts"

/** A page that is one field, which shows its text in its title. */
const site = `<!doctype html><meta charset=utf-8><title>empty</title>
<input autofocus aria-label=Code style="position:fixed;inset:0;width:100vw;height:100vh"
  oninput="document.title = 'typed ' + this.value">`

const call = (name: string, input: unknown): ModelMessage => ({
  calls: [{ name, input }],
  usage: { input: 10, output: 1 }
})

describe.runIf(isWhole)("the console of a server with real browsers, using only the keyboard", () => {
  const scope = Effect.runSync(Scope.make())
  const build = <A, E>(layer: Layer.Layer<A, E>) =>
    Effect.runPromise(Scope.provide(Layer.build(Layer.fresh(layer)), scope))
  let model: Context.Service.Shape<typeof ScriptedModel>
  let address = ""
  const stage = useStage(async () => {
    model = Context.get(await build(ScriptedModel.layer), ScriptedModel)
    const pages = Context.get(await build(ScriptedServer.layer), ScriptedServer)
    pages.script = () => ({ headers: { "content-type": "text/html" }, text: site })
    address = pages.address
    const { path, remove } = Program.folder()
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const data = join(path, "server.db")
    const key = await Program.createKey(data, "me")
    const { address: server, process: program } = await Program.serve(
      data,
      `--browsers chromium --min-isolation none --allow-private ${new URL(address).host}
        --model openai-compatible:scripted-1 --model-url ${model.baseUrl["openai-compatible"]}`.split(/\s+/u),
      { environment: { TMPDIR: path } }
    )
    return {
      address: server,
      key,
      stop: async () => {
        program.kill("SIGTERM")
        await new Promise((resolve) => program.once("exit", resolve))
        remove()
        await Effect.runPromise(Scope.close(scope, Exit.void))
      }
    }
  })

  it("takes control of a real browser in the middle of a run, types, and the agent continues with the page", async () => {
    const { page } = stage()
    const taken = Promise.withResolvers<void>()
    model.script = async ({ text }, count) => {
      if (count === 1) return call("navigate", { url: address })
      if (count > 2) return call("done", { success: true, output: /typed (\w+)/u.exec(text)?.[1] ?? "nothing" })
      await taken.promise
      return call("wait", { seconds: 0 })
    }
    await start(page, "Fill in the code")
    await page.getByRole("link", { name: "Watch its browser" }).waitFor()
    await goTo(page, "w", "Live wall")
    await page.getByText("Fill in the code").waitFor()
    await page.waitForSelector("[data-picture=true]")
    await press(page, "Open browser")
    await page.locator("canvas[data-picture=true]").waitFor()
    const picture = await save(page, "Save a picture")
    assert.strictEqual(picture.bytes.subarray(1, 4).toString(), "PNG")
    await press(page, "Take control")
    await page.getByText("you; the agent is waiting").waitFor()
    await checkAccessibility(page, "a browser under control")
    taken.resolve()
    await page.keyboard.type("4711")
    await page.getByRole("heading", { level: 1, name: "typed 4711" }).waitFor()
    // the run began with one, and the person took control before or during the second
    assert.isAtMost(model.requests.length, 2)
    // Tab is a key of the browser
    await page.keyboard.press("Control+L")
    await page.keyboard.type("file:///etc/passwd")
    await page.keyboard.press("Enter")
    await page.getByRole("alert").getByText("opens only http and https addresses").waitFor()
    await page.keyboard.press("Control+A")
    await page.keyboard.type(`${address}/other`)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "empty" }).waitFor()
    await tabTo(page, "Keyboard input")
    await page.keyboard.type("4711")
    await page.getByRole("heading", { level: 1, name: "typed 4711" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Take control" }).waitFor()
    await goTo(page, "r", "Runs")
    await page.getByRole("grid").getByText("Fill in the code").waitFor()
    await toFirstRow(page)
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Result" }).getByText("4711").waitFor()
  })

  it("stops a real browser, and its run fails with a cause", async () => {
    const { page } = stage()
    const forever = Promise.withResolvers<ModelMessage>()
    const before = model.requests.length
    const waiting = Promise.withResolvers<void>()
    model.script = (_, count) => {
      if (count === before + 1) return call("navigate", { url: address })
      waiting.resolve()
      return forever.promise
    }
    await start(page, "Wait for a stop")
    await page.getByRole("link", { name: "Watch its browser" }).waitFor()
    await press(page, "Watch its browser")
    await page.getByRole("heading", { level: 2, name: "The agent's steps" }).waitFor()
    // the agent waits for its model, and doesn't use the browser
    await waiting.promise
    await press(page, "Stop")
    await press(page, "Stop the browser")
    await page.getByText("This browser has stopped").waitFor()
    await page.goBack()
    await page.locator("[data-status=failed]").first().waitFor()
    assert.include((await page.getByRole("region", { name: "Why it failed" }).textContent()) ?? "", "browser")
  })
})
