import type * as Contract from "@webagent/contract"
import type { Answered } from "./Answered.ts"

/** A call as errors name it: its path without a query. */
export const of = ({
  attempt: attempts,
  method,
  requestId,
  url
}: Pick<Answered, "attempt" | "method" | "requestId" | "url">): Contract.Call => {
  const { origin, pathname: path } = new URL(url)
  return { method, path, origin, attempts, requestId }
}

/** The server that an address names, as OpenTelemetry has it. */
export const serverOf = ({ hostname, port, protocol }: URL) => ({
  "server.address": hostname.replaceAll(/[[\]]/gu, ""),
  "server.port": Number(port) || (protocol === "https:" ? 443 : 80)
})
