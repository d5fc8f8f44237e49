import { assert, describe, it } from "@effect/vitest"
import { createContext, Script } from "node:vm"
import { bundled } from "./bundled.ts"

/** What a page that imports `entry` loads, as one script. */
const script = async (entry: string) => {
  const [chunk, ...rest] = await bundled(
    entry,
    { platform: "browser" },
    { minify: true, format: "iife", name: "webagent" }
  )
  assert.lengthOf(rest, 0)
  if (chunk === undefined) throw new Error("The bundle is empty")
  return chunk
}

/** What every page and every edge runtime has, and nothing of Node. */
const web = {
  AbortController,
  AbortSignal,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearInterval,
  clearTimeout,
  console,
  crypto,
  fetch,
  queueMicrotask,
  setInterval,
  setTimeout
}

describe("the bundle of a promise entry point", () => {
  for (const version of ["v2", "v3", "v4"] as const) {
    it(`of @webagent/${version}/promise contains no code of Node or of another version`, async () => {
      const { imports, moduleIds } = await script(`@webagent/${version}/promise`)
      assert.deepStrictEqual(imports, [])
      assert.isTrue(moduleIds.some((id) => id.includes(`packages/client/${version}/`)))
      const others = ["v2", "v3", "v4"].filter((other) => other !== version)
      assert.deepStrictEqual(
        moduleIds.filter(
          (id) =>
            id.startsWith("node:") ||
            /platform-node|\/undici\/|\/effect\/dist\/index\.js$|packages\/service\//u.test(id) ||
            others.some((other) => id.includes(`packages/client/${other}/`) || id.includes(`contract/src/${other}/`))
        ),
        []
      )
    })
  }

  it("of @webagent/v4/promise runs without any API of Node", async () => {
    const { code } = await script("@webagent/v4/promise")
    const asked: Array<string> = []
    const answers = async (url: URL | string, init?: RequestInit) => {
      asked.push(`${init?.method ?? "GET"} ${new URL(url).pathname}`)
      return Response.json(
        String(url).endsWith("/status") ? { status: "completed" } : { id: "r-1", status: "completed", result: "done" }
      )
    }
    const context = createContext({ ...web, fetch: answers })
    const result: unknown = await new Script(`${code}
      ;(async () => {
        if (typeof process !== "undefined" || typeof Buffer !== "undefined") throw new Error("this is Node")
        const agent = new webagent.WebAgent({ apiKey: "wak_test", baseUrl: "https://agents.example.com" })
        const run = await agent.runs.createAndWait({ task: "t" }, { first: 0 })
        await agent.close()
        return run.result
      })()`).runInContext(context)
    assert.strictEqual(result, "done")
    assert.deepStrictEqual(asked, ["POST /api/v4/runs", "GET /api/v4/runs/r-1/status", "GET /api/v4/runs/r-1"])
  })
})
