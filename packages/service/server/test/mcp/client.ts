import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as Effect from "effect/Effect"

/** A client of the protocol's own SDK, closed with the scope. */
export const connect = (transport: Transport) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "a test", version: "1.0.0" })
      await client.connect(transport)
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

/** What a tool answered, or the sentence of its failure. */
export const callTool = (client: Client, name: string, input: Record<string, unknown> = {}) =>
  Effect.promise(async () => {
    const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: input })
    const [first] = Array.isArray(content) ? content : []
    return { isError, text: String(first?.text), answer: Object(structuredContent) }
  })
