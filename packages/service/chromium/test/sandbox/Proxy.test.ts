import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createSocket } from "node:dgram"
import { Sandbox } from "../../src/index.ts"
import { chromiumSandbox } from "../support/chromium.ts"
import { layerEgress, open } from "../support/sandboxed.ts"
import { site } from "../egress/sockets.ts"

/** A listener of the machine, which would hear what a page sends past its proxy. */
const listener = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly heard: Array<number>; readonly port: number; readonly close: () => void }>((resolve) => {
        const heard: Array<number> = []
        const socket = createSocket("udp4", (message) => heard.push(message.length))
        socket.bind(0, "127.0.0.1", () =>
          resolve({ heard, port: socket.address().port, close: () => void socket.close() })
        )
      })
  ),
  ({ close }) => Effect.sync(close)
)

it.live("a page that has a proxy and no namespaces sends no UDP: neither WebRTC nor HTTP/3", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* listener
    const page = yield* site((_, response) => response.setHeader("content-type", "text/html").end("<p>page</p>"))
    const sandbox = Layer.provide(Sandbox.layerProxy, layerEgress({ allowPrivate: [`127.0.0.1:${page.port}`] }))
    const found = yield* Effect.gen(function* () {
      const { evaluate, visit } = yield* open({ chromiumSandbox: yield* chromiumSandbox })
      // WebTransport is for secure pages, and the loopback address counts as one
      assert.strictEqual(yield* visit(`http://127.0.0.1:${page.port}/`), "page")
      return yield* evaluate(`(async () => {
        const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] })
        const candidates = []
        peer.onicecandidate = ({ candidate }) => candidate && candidates.push(candidate.candidate)
        peer.createDataChannel("data")
        await peer.setLocalDescription(await peer.createOffer())
        const transport = new WebTransport("https://127.0.0.1:${port}/")
        const ended = await transport.ready.then(() => "open", ({ name }) => name)
        await new Promise((ok) => setTimeout(ok, 500))
        return { candidates, ended }
      })()`)
    }).pipe(Effect.scoped, Effect.provide(sandbox))
    assert.deepStrictEqual([found, heard], [{ candidates: [], ended: "WebTransportError" }, []])
  }).pipe(Effect.scoped)
)

it.live("a redirect leads no further than its target may be reached", () =>
  Effect.gen(function* () {
    const secret = yield* site((_, response) => response.end("secret"))
    const front = yield* site((request, response) => {
      const to = decodeURIComponent((request.url ?? "").slice(2))
      if (to !== "") return response.writeHead(302, { location: to }).end()
      response.setHeader("content-type", "text/html").end("<p>page</p>")
    })
    const options = { allowPrivate: [`127.0.0.1:${front.port}`], ports: [80, 443, secret.port] }
    yield* Effect.gen(function* () {
      const { allow, evaluate, visit } = yield* open({ chromiumSandbox: yield* chromiumSandbox })
      const home = `http://site.test:${front.port}`
      const redirect = (to: string) => visit(`${home}/?${encodeURIComponent(to)}`)
      for (const to of [
        `http://127.0.0.1:${secret.port}/`,
        `http://inside.test:${secret.port}/`,
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/"
      ]) {
        assert.match(yield* redirect(to), /public addresses only/u, to)
      }
      assert.match(yield* redirect("file:///etc/passwd"), /^net::ERR_/u)
      assert.strictEqual(yield* visit(home), "page")
      const fetched = `fetch("/?${encodeURIComponent(`http://127.0.0.1:${secret.port}/`)}", { mode: "no-cors" })`
      yield* evaluate(`${fetched}.then(() => "", () => "")`)
      yield* allow(["site.test"])
      assert.strictEqual(yield* redirect(`${home}/`), "page")
      assert.match(yield* redirect(`http://127.0.0.1:${front.port}/`), /is not one of the domains/u)
      assert.deepStrictEqual(secret.hits, [])
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(Sandbox.layerProxy, layerEgress(options))))
  }).pipe(Effect.scoped)
)
