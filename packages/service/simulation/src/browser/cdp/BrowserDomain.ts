import * as Method from "./Method.ts"
import { hangUp } from "./State.ts"

/** Who a simulated browser says it is. */
export const version = {
  protocolVersion: "1.3",
  product: "SimulatedBrowser/1.0",
  revision: "@simulated",
  userAgent: "Mozilla/5.0 (simulated) WebAgent/1.0",
  jsVersion: "0.0"
}

/** The browser as a whole. `Browser.close` ends the client's connection: only the service's own stop stops it. */
export const methods: Method.Methods = new Map<string, Method.Method>([
  ["Browser.getVersion", Method.always(version)],
  [
    "Browser.close",
    ({ afterwards, session, state }) => {
      afterwards(() => hangUp(state, session.connection))
      return Method.done
    }
  ]
])
