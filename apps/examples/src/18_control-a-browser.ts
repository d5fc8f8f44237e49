/**
 * Drives a hosted browser over CDP, and stops it after a success, a failure or Ctrl-C.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 18_control-a-browser
 */
import { Browsers } from "@webagent/v4"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

class CdpError extends Data.TaggedError("CdpError")<{ readonly message: string }> {}

const Version = Schema.fromJsonString(Schema.Struct({ result: Schema.Struct({ product: Schema.String }) }))

// closing this connection does not stop the browser; `use` does
const open = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new WebSocket(url)),
    (socket) => Effect.sync(() => socket.close())
  )

/** You can use any CDP library instead, such as Playwright's chromium.connectOverCDP(browser.cdpUrl). */
const productOf = Effect.fn("productOf")(function* (url: string) {
  const socket = yield* open(url)
  const response = yield* Effect.callback<unknown, CdpError>((resume) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify({ id: 1, method: "Browser.getVersion" })))
    socket.addEventListener("message", ({ data }) => resume(Effect.succeed(data)))
    socket.addEventListener("close", () =>
      resume(Effect.fail(new CdpError({ message: `${url} closed the connection` })))
    )
  })
  return (yield* Schema.decodeUnknownEffect(Version)(response)).result.product
}, Effect.scoped)

export const program = Effect.gen(function* () {
  const browsers = yield* Browsers
  return yield* browsers.use({}, (browser) => productOf(browser.cdpUrl))
})
