import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { createContext, Script } from "node:vm"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

/** What a page that imports `entry` loads. */
const bundled = async (entry: string) => {
  const bundle = await rolldown({
    input: "entry",
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    platform: "browser",
    resolve: { conditionNames: ["@webagent/source", "import", "default"] },
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? fileURLToPath(new URL("entry.js", import.meta.url)) : undefined),
        load: (id) => (id.endsWith("entry.js") ? `export { WebAgent } from "${entry}"` : undefined)
      }
    ]
  })
  const { output } = await bundle.generate({ minify: true, format: "iife", name: "webagent" })
  await bundle.close()
  const [chunk, ...rest] = output
  assert.lengthOf(rest, 0)
  return chunk
}

/** A ratchet, in bytes after gzip: lower it when an entry gets smaller. */
const largest = { v2: 61_000, v3: 61_900, v4: 65_100 }

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

describe("what the promise entry points ship", () => {
  for (const version of ["v2", "v3", "v4"] as const) {
    it(`@webagent/${version}/promise: nothing of Node or of another version, and no more than it did`, async () => {
      const { code, imports, moduleIds } = await bundled(`@webagent/${version}/promise`)
      assert.deepStrictEqual(imports, [])
      const others = ["v2", "v3", "v4"].filter((other) => other !== version)
      assert.deepStrictEqual(
        moduleIds.filter(
          (id) =>
            id.startsWith("node:") ||
            /platform-node|\/undici\/|\/effect\/dist\/index\.js$|packages\/service\//u.test(id) ||
            others.some((other) => id.includes(`packages/${other}/`) || id.includes(`contract/src/${other}/`))
        ),
        []
      )
      const size = gzipSync(code).length
      assert.isAtMost(size, largest[version])
      assert.isAtLeast(size, largest[version] - 4000, "it has become smaller: lower the ratchet")
    })
  }

  it("@webagent/v4/promise runs where there is nothing of Node", async () => {
    const { code } = await bundled("@webagent/v4/promise")
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
