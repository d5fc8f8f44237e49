import { tokenParameter } from "@webagent/harness-api"
import * as HttpSource from "@webagent/harness-api/HttpSource"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { createRoot } from "react-dom/client"
import { dialogs } from "../app/dialogs.ts"
import { registry } from "../state/react.ts"
import "../styles/styles.ts"
import { App } from "./App.tsx"
import { source } from "./state/source.ts"

/** Notes the state of the connection before its first message. There is none before the module of events is loaded. */
let noted: (state: "live" | "lost") => void = () => undefined

const tokenIn = (hash: string): string | null => new URLSearchParams(hash.slice(1)).get(tokenParameter)

/** The token of the printed address, which is removed from the page's address at once. */
const takeToken = (): string | undefined => {
  const token = tokenIn(location.hash)
  if (token === null) return undefined
  history.replaceState(null, "", "#/")
  return token
}

const open = Effect.gen(function* () {
  const token = takeToken()
  // without a session, each screen says how to get one
  if (token !== undefined) yield* Effect.ignore(HttpSource.openSession(location.origin, token))
  registry.set(
    source,
    yield* HttpSource.make({
      address: location.origin,
      onConnection: (state) => noted(state)
    })
  )
}).pipe(Effect.provide(FetchHttpClient.layer))

// the address of another start, opened in a tab that shows this page, changes only what is behind the #
window.addEventListener("hashchange", () => {
  if (tokenIn(location.hash) !== null) location.reload()
})

const root = document.getElementById("root")
if (root !== null) {
  await Effect.runPromise(open)
  createRoot(root).render(<App dialogs={dialogs} />)
  // no first screen needs events, so they come after it
  const { connected, live } = await import("./state/live.ts")
  noted = connected
  registry.mount(live)
}
