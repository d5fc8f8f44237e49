/** Real browsers for a chaos: the flags of their nodes, the model of their agent, and a site to which their profiles sign in. */
import { type ModelReply, ScriptedModel } from "@webagent/scripted-model"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { randomUUID } from "node:crypto"
import { chmodSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { chromium } from "playwright-core"

/** Who is signed in at the site: by the cookie of its session, and by the storage of its pages. Both are empty before a sign-in. */
export interface SignedIn {
  readonly signedIn: string
  readonly stored: string
}

/** Real browsers and all that they need. */
export interface RealBrowsers {
  readonly flags: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  /** Opens the site in a browser, and signs in as someone unless it's null. Undefined if the browser is gone. */
  readonly visit: (cdpUrl: string, as: string | null) => Promise<SignedIn | undefined>
  readonly close: () => Promise<void>
}

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

/** The page of who is signed in, which stores the name when someone signs in. */
const pageOf = (signedIn: string, isNew: boolean) => `<!doctype html><p id="signedIn">${signedIn}</p><p id="stored"></p>
  <script>${isNew ? `localStorage.setItem("user", ${JSON.stringify(signedIn)});` : ""}
  document.getElementById("stored").textContent = localStorage.getItem("user") ?? ""</script>`

/** A site that keeps a person signed in with a cookie of the session. */
const signInSite = async () => {
  const users = new Map<string, string>()
  const server = createServer(({ headers, url = "" }, response) => {
    response.setHeader("content-type", "text/html")
    const user = /\/sign-in\/(?<user>[\w-]+)/u.exec(url)?.groups?.["user"]
    if (user !== undefined) {
      const session = randomUUID()
      users.set(session, user)
      response.setHeader("set-cookie", `session=${session}; Path=/; HttpOnly`)
      response.end(pageOf(user, true))
      return
    }
    const session = /session=(?<session>[\w-]+)/u.exec(headers.cookie ?? "")?.groups?.["session"]
    response.end(pageOf(users.get(session ?? "") ?? "", false))
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
  const site = await signInSite()
  return {
    flags: [
      ["--browsers", "chromium", "--min-isolation", "none"],
      ["--allow-private", new URL(site.address).host],
      ["--model", "openai-compatible:scripted-1", "--model-url", model.baseUrl["openai-compatible"]]
    ].flat(),
    environment: { TMPDIR: folder, WEBAGENT_PROFILE_KEY: Buffer.alloc(32, 1).toString("base64") },
    visit: async (cdpUrl, as) => {
      try {
        const browser = await chromium.connectOverCDP(cdpUrl, { timeout: patience_ms })
        try {
          const page = browser.contexts()[0]?.pages()[0] ?? (await browser.newPage())
          await page.goto(site.address, { timeout: patience_ms })
          const textOf = async (id: string) => (await page.textContent(`#${id}`, { timeout: patience_ms })) ?? ""
          const [signedIn, stored] = [await textOf("signedIn"), await textOf("stored")]
          if (as !== null) await page.goto(`${site.address}/sign-in/${as}`, { timeout: patience_ms })
          return { signedIn, stored }
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
