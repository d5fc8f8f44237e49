import type { CdpSession } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { spawnSync } from "node:child_process"
import { Binary, BrowserProcess, DevTools, Egress, type EgressOptions, Sandbox } from "../../src/index.ts"
import { attach, runtime } from "./chromium.ts"
import { names } from "./names.ts"

const isRoot = process.getuid?.() === 0

// Chromium makes namespaces in those that it is in: some systems allow the one and not the other
const inside = ["unshare", "--user", "--map-root-user", "--pid", "--net", "--fork", "true"]
const around = ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--"]
const tried = spawnSync("bwrap", [...around, ...inside], {
  encoding: "utf8",
  ...(isRoot ? { uid: 65_534, gid: 65_534 } : {})
})

/** Why browsers have no namespaces on this machine, as the end of a title; undefined where they have. */
export const noNamespaces: string | undefined =
  tried.error === undefined
    ? tried.status === 0
      ? undefined
      : ` (skipped: ${tried.stderr.split("\n")[0]})`
    : " (skipped without bubblewrap: install the package bubblewrap)"

/** Names that play an attacker's. */
const hosts = {
  "site.test": ["127.0.0.1"],
  "inside.test": ["127.0.0.2"],
  "half.test": ["8.8.8.8", "10.0.0.5"],
  localhost: ["127.0.0.1"],
  "metadata.google.internal": ["169.254.169.254"]
}

export const layerEgress = (options: EgressOptions = {}) =>
  Layer.provide(Layer.orDie(Egress.layer(options)), names(hosts))

/** Browsers in namespaces. */
export const layer = (options: EgressOptions = {}) => Layer.provide(Sandbox.layerBubblewrap, layerEgress(options))

/** A browser with a client of its DevTools and a page. */
export const open = Effect.fnUntraced(function* (options: Partial<BrowserProcess.StartOptions> = {}) {
  const folder = yield* runtime
  const browser = yield* BrowserProcess.start({
    binary: yield* Binary.find(),
    runtime: folder,
    name: "one",
    ...options
  })
  const client = yield* DevTools.connect(browser.devTools)
  const page = yield* attach(client)

  /** What an expression is in a page; of a promise, what it becomes. */
  const evaluate = (expression: string, session: CdpSession = page) =>
    Effect.map(
      session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }),
      ({ result }) => result.value
    )

  /** Goes to a page and waits for it; gives the error that Chromium names, else the text of the page. */
  const visit = Effect.fnUntraced(function* (url: string, session: CdpSession = page) {
    const { errorText, loaderId } = yield* session.send("Page.navigate", { url })
    // until then the document before answers, and the page of an error may replace the one that is visited next
    yield* Effect.repeat(session.send("Page.getFrameTree"), {
      schedule: Schedule.spaced("1 millis"),
      until: ({ frameTree }) => frameTree.frame.loaderId === loaderId
    })
    if (typeof errorText === "string") return errorText
    yield* evaluate(
      "new Promise((ok) => document.readyState === 'complete' ? ok() : addEventListener('load', ok))",
      session
    )
    return String(yield* evaluate("document.body.innerText", session))
  })

  /** A page of its own in a context of its own. */
  const context = Effect.fnUntraced(function* (params: Readonly<Record<string, unknown>>) {
    const { browserContextId } = yield* client.send("Target.createBrowserContext", params)
    const { targetId } = yield* client.send("Target.createTarget", {
      url: "about:blank",
      browserContextId: String(browserContextId)
    })
    const { sessionId } = yield* client.send("Target.attachToTarget", { targetId, flatten: true })
    return client.session(sessionId)
  })

  return { ...browser, folder: `${folder}/one`, client, page, evaluate, visit, context }
})
