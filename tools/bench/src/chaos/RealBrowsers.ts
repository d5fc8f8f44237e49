/** Real browsers for a chaos: the flags of their nodes, the model of their agent, and a site that their profiles remember. */
import { type ModelReply, ScriptedModel } from "@webagent/scripted-model"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { chmodSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { chromium } from "playwright-core"

/** Real browsers and all that they need. */
export interface RealBrowsers {
  readonly flags: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  /**
   * Opens a page in a browser; returns the number that its profile remembers, and has it remember another one. Undefined
   * if the browser is gone.
   */
  readonly visit: (cdpUrl: string, remembered: number | null) => Promise<number | undefined>
  readonly close: () => Promise<void>
}

/** Number of browsers of each node: so few that most runs wait. */
export const mostBrowsers = 2

const answered = /A person answered: (?<answer>\w+)/u

/** Does what the script of the newest task says, as a simulated agent would. */
const follow = async (messages: ReadonlyArray<{ readonly text: string }>): Promise<ModelReply> => {
  const text = messages.map(({ text }) => text).join("\n")
  const task = text.slice(text.lastIndexOf("Task: "))
  const answer = answered.exec(task)?.groups?.["answer"]
  const question = /ask="(?<question>[^"]+)"/u.exec(task)?.groups?.["question"]
  const isOver = answer !== undefined || task.includes("No person answered in time")
  if (question !== undefined && !isOver) {
    return { calls: [{ name: "askPerson", input: { question, choices: ["Red", "Blue"] } }] }
  }
  const duration_ms = /duration=(?<ms>\d+)ms/u.exec(task)?.groups?.["ms"]
  await sleep(Number(duration_ms ?? 0), undefined, { ref: false })
  const output = answer === undefined ? "found" : `Answer: ${answer}`
  return { calls: [{ name: "done", input: { success: true, output } }] }
}

/** A site that shows the number in its cookie, and sets it to that of the address. */
const remember = async () => {
  const server = createServer(({ headers, url = "" }, response) => {
    const next = /\/set\/(?<number>\d+)/u.exec(url)?.groups?.["number"]
    if (next !== undefined) response.setHeader("set-cookie", `number=${next}; Max-Age=86400`)
    response.setHeader("content-type", "text/html")
    response.end(`<p>${/number=(?<number>\d+)/u.exec(headers.cookie ?? "")?.groups?.["number"] ?? 0}</p>`)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => void server.close(resolve))
  }
  return { address, close }
}

/** Time that a page has in a browser. */
const patience_ms = 10_000

/** Starts the model and the site. `folder` is the temporary folder of the nodes. */
export const makeRealBrowsers = async (folder: string): Promise<RealBrowsers> => {
  // browsers of a server that is root run as another user
  chmodSync(folder, 0o711)
  const runtime = ManagedRuntime.make(ScriptedModel.layer)
  const model = await runtime.runPromise(ScriptedModel)
  model.script = ({ messages }) => follow(messages)
  const site = await remember()
  return {
    flags: [
      ["--browsers", "chromium", "--min-isolation", "none", "--max-browsers", String(mostBrowsers)],
      ["--allow-private", new URL(site.address).host],
      ["--model", "openai-compatible:scripted-1", "--model-url", model.baseUrl["openai-compatible"]]
    ].flat(),
    environment: { TMPDIR: folder, WEBAGENT_PROFILE_KEY: Buffer.alloc(32, 1).toString("base64") },
    visit: async (cdpUrl, remembered) => {
      try {
        const browser = await chromium.connectOverCDP(cdpUrl, { timeout: patience_ms })
        try {
          const page = browser.contexts()[0]?.pages()[0] ?? (await browser.newPage())
          await page.goto(site.address, { timeout: patience_ms })
          const number = Number(await page.textContent("p", { timeout: patience_ms }))
          if (remembered !== null) await page.goto(`${site.address}/set/${remembered}`, { timeout: patience_ms })
          return number
        } finally {
          await browser.close()
        }
      } catch {
        return undefined
      }
    },
    close: async () => {
      await runtime.dispose()
      await site.close()
    }
  }
}
