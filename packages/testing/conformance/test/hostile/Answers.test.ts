import { assert, describe, it } from "@effect/vitest"
import { rejection } from "@webagent/scripted-server/Promises"
import { RunFailedError, RunNotFoundError, TransportError, UnauthorizedError } from "@webagent/v4/promise"
import { inspect } from "node:util"
import { key, names, withAgent } from "./stage.ts"

const unicode = (text: string) =>
  Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")

/** A text in JSON, every character of it escaped that can be in another way. */
const escaped = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll("/", "\\/")
    .replaceAll("=", "\\u003d")
    .replaceAll("&", "\\u0026")
    .replaceAll("<", "\\u003C")

const echoes: Readonly<Record<string, string>> = {
  "as JSON escapes it": `{"detail":"your key ${escaped(key)} is odd"}`,
  "in unicode escapes": `{"detail":"your key ${unicode(key)} is odd"}`,
  "in JSON inside JSON": JSON.stringify({ detail: `{"key":"${escaped(key)}"}` }),
  "as a property name": `{"detail":"x","${escaped(key)}":1}`,
  "in a URL": `{"detail":"see https://a.example/?key=${encodeURIComponent(key)}"}`,
  "in lower case in a URL": `{"detail":"see https://a.example/?key=${encodeURIComponent(key).toLowerCase()}"}`,
  "on a page": `<html>${key.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll("'", "&#39;")}</html>`,
  "in truncated JSON": `{"detail":"your key ${unicode(key)} is`
}

for (const transport of names) {
  describe(`a response over ${transport}`, () => {
    for (const [name, text] of Object.entries(echoes)) {
      it.live(
        `that contains the key ${name} doesn't show it`,
        withAgent(transport, { retries: 0 }, async (agent, server, log) => {
          for (const status of [400, 401, 404, 422, 500, 503]) {
            server.script = () => ({ status, text, headers: { location: `/x?${encodeURIComponent(key)}` } })
            const error = await rejection(agent.runs.get("r-1"))
            assert.instanceOf(error, Error)
            const created = await rejection(agent.runs.create({ task: "t" }))
            const said = [error, created].flatMap((one) => [
              inspect(one, { depth: 9, showHidden: true }),
              JSON.stringify(one),
              String(one),
              JSON.stringify((one as { body?: unknown }).body ?? "")
            ])
            for (const shown of [...said, ...log]) {
              assert.notInclude(unescaped(shown), key.slice(3, 12), `${status}: ${shown}`)
            }
          }
        })
      )
    }

    it.live(
      "with fields of another type is read, and the sent values are kept",
      withAgent(transport, {}, async (agent, server) => {
        server.script = () => ({
          text: '{"id":42,"sessionId":7,"status":"failed","cost":0.05,"error":{"code":"E7"},"startedAt":"2026-01-01t00:00:00z","createdAt":12,"later":[1]}'
        })
        const run = await agent.runs.get("42")
        assert.deepStrictEqual<unknown>(run, {
          id: "42",
          sessionId: "7",
          status: "failed",
          cost: "0.05",
          startedAt: "2026-01-01t00:00:00z",
          raw: { error: { code: "E7" }, createdAt: 12, later: [1] }
        })
        const result = { "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }) } } as const
        const error = await rejection(agent.runs.untilTerminal("42", { result }))
        assert.instanceOf(error, RunFailedError)
        assert.include(error.message, '{"code":"E7"}')
        assert.include(error.message, "0.05 USD")
      })
    )

    it.live(
      "with a status as plain text is read, and a run with a number as its id can be awaited",
      withAgent(transport, {}, async (agent, server) => {
        server.script = ({ method, url }) => {
          if (method === "POST") return { status: 201, text: '{"id":42}' }
          return url.endsWith("/42/status")
            ? { text: '"completed"' }
            : { text: '{"id":42,"status":"completed","result":1}' }
        }
        assert.strictEqual((await agent.runs.status("42")).status, "completed")
        assert.strictEqual((await agent.runs.createAndWait({ task: "t" }, { first: 0 })).result, 1)
      })
    )

    it.live.each([
      ["1e-7", "0.0000001"],
      ["0.1", "0.1"],
      ["-12.50", "-12.5"],
      ["1e3", "1000"],
      ["123456789012345", "123456789012345"],
      ["1234567890123456789", undefined],
      ["0.12345678901234567", undefined],
      ["1e999", undefined]
    ] as const)("with the cost %s is decoded as a decimal if that is exact", ([sent, read]) =>
      withAgent(transport, {}, async (agent, server) => {
        server.script = () => ({ text: `{"id":"r-1","status":"completed","cost":${sent}}` })
        const run = await agent.runs.get("r-1")
        assert.strictEqual(run.cost, read)
        assert.strictEqual("raw" in run, read === undefined)
      })()
    )

    it.live(
      "with 404 means a missing run only if it's the service's, not a gateway's, and both keep their body",
      withAgent(transport, {}, async (agent, server) => {
        server.script = () => ({ status: 404, json: { detail: "Run not found" } })
        const own = await rejection(agent.runs.get("r-1"))
        assert.instanceOf(own, RunNotFoundError)
        assert.strictEqual(own.body, '{"detail":"Run not found"}')
        server.script = () => ({ status: 404, json: { message: "no Route matched" } })
        const foreign = await rejection(agent.runs.get("r-1"))
        assert.instanceOf(foreign, TransportError)
        assert.include(foreign.message, "no Route matched")
        server.script = () => ({ status: 401, text: "<html>Sign in</html>" })
        const page = await rejection(agent.runs.get("r-1"))
        assert.instanceOf(page, UnauthorizedError)
        assert.strictEqual(page.body, "<html>Sign in</html>")
      })
    )

    it.live(
      "with a page of 5 MB is kept in part",
      withAgent(transport, { retries: 0 }, async (agent, server) => {
        for (const status of [200, 404, 500]) {
          server.script = () => ({ status, text: `<html>${"x".repeat(5_000_000)}` })
          const error = await rejection(agent.runs.get("r-1"))
          assert.isBelow(JSON.stringify(error).length, 150_000)
          assert.isBelow(String(error).length, 1500)
        }
        server.script = () => ({ status: 404, json: { detail: "x".repeat(5_000_000) } })
        assert.isBelow(JSON.stringify(await rejection(agent.runs.get("r-1"))).length, 150_000)
      })
    )

    it.live(
      "larger than 100 MiB is refused after one attempt",
      withAgent(
        transport,
        { timeouts: { total: "2 minutes", ...(transport.includes("steps") ? { headers: "1 minute" } : {}) } },
        async (agent, server) => {
          const chunk = Buffer.alloc(1024 * 1024, " ")
          server.script = () => (response) => {
            response.writeHead(200, { "content-type": "application/json" })
            const more = () => {
              while (response.write(chunk));
              response.once("drain", more)
            }
            more()
          }
          const error = await rejection(agent.runs.get("r-1"))
          assert.instanceOf(error, TransportError)
          assert.strictEqual(error.reason._tag, "AnswerTooLarge")
          assert.strictEqual(server.requests.length, 1)
        }
      )
    )
  })
}

/** A text as someone would read it who undoes what was escaped. */
const unescaped = (text: string): string =>
  text
    .replaceAll(/\\+u([0-9a-fA-F]{4})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/%([0-9a-fA-F]{2})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("&amp;", "&")
    .replaceAll("&quot;", '"')
    .replaceAll("\\", "")
