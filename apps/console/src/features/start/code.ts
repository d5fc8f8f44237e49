/** The body of `POST /api/v4/runs`. */
export interface RunBody {
  readonly task: string
  readonly [field: string]: unknown
}

/** A language or client that code is written for. */
export interface CodeSample {
  readonly name: string
  /** A sentence about the server that the code needs. */
  readonly note?: string
  readonly code: (body: RunBody, origin: string) => string
}

/** A text in single quotes of a POSIX shell. */
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A value as the source of TypeScript: JSON, with keys unquoted where they're names. */
export const literal = (value: unknown, indent = ""): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gmu, "$1$2:")
    // as a plain key, it would set the prototype
    .replaceAll(/^(\s*)__proto__:/gmu, '$1["__proto__"]:')
    // a line separator ends a line in the source of older engines
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replaceAll("\n", `\n${indent}`)

/** A body for the published client, whose types ask for a proxy country next to any other setting of a browser. */
const withProxy = ({ browserSettings, ...body }: RunBody): object =>
  typeof browserSettings === "object" && browserSettings !== null
    ? { ...body, browserSettings: { proxyCountryCode: null, ...browserSettings } }
    : body

/** The samples of "copy as code". Each reads the key from the environment, so that no code holds one. */
export const samples: ReadonlyArray<CodeSample> = [
  {
    name: "curl",
    code: (body, origin) =>
      [
        `curl ${shell(`${origin}/api/v4/runs`)} \\`,
        `  -H "X-Service-API-Key: $WEBAGENT_API_KEY" \\`,
        `  -H 'content-type: application/json' \\`,
        `  -d ${shell(JSON.stringify(body))}`
      ].join("\n")
  },
  {
    name: "TypeScript",
    code: (body, origin) => `import { WebAgent } from "@webagent/v4/promise"

// the key is in WEBAGENT_API_KEY
const agent = new WebAgent({ baseUrl: ${JSON.stringify(`${origin}/api/v4`)} })
const request = ${literal(body)}
const run = await agent.runs.createAndWait(request)
console.log(run.status, run.result)`
  },
  {
    name: "Effect",
    code: (body, origin) => `import { Runs, V4 } from "@webagent/v4"
import * as ManagedRuntime from "effect/ManagedRuntime"

// the key is in WEBAGENT_API_KEY
const runtime = ManagedRuntime.make(V4.layer({ baseUrl: ${JSON.stringify(`${origin}/api/v4`)} }))
const request = ${literal(body)}
const run = await runtime.runPromise(Runs.use((runs) => runs.createAndWait(request)))
console.log(run.status, run.result)`
  },
  {
    name: "Published client",
    note: "This client sends its key in a different header: start the server with --api-key-header X-Browser-Use-API-Key, otherwise it responds with 401.",
    code: (body, origin) => `// npm install browser-use-sdk
// the server's flag: --api-key-header X-Browser-Use-API-Key
import { BrowserUse } from "browser-use-sdk/v4"

// the key is in WEBAGENT_API_KEY
const apiKey = process.env["WEBAGENT_API_KEY"] ?? ""
const client = new BrowserUse({ baseUrl: ${JSON.stringify(`${origin}/api/v4`)}, apiKey })
const request = ${literal(withProxy(body))}
const { id } = await client.runs.create(request)
const run = await client.runs.waitForCompletion(id)
console.log(run.status, run.result)`
  },
  {
    name: "fetch",
    code: (body, origin) => `// the key is in WEBAGENT_API_KEY
const response = await fetch(${JSON.stringify(`${origin}/api/v4/runs`)}, {
  method: "POST",
  headers: { "content-type": "application/json", "X-Service-API-Key": process.env["WEBAGENT_API_KEY"] ?? "" },
  body: JSON.stringify(${literal(body, "  ")})
})
console.log(await response.json())`
  },
  {
    name: "MCP",
    code: (body, origin) => `# once: give a coding assistant this server's tools
claude mcp add --transport http webagent ${shell(`${origin}/mcp`)} \\
  --header "X-Service-API-Key: $WEBAGENT_API_KEY"

# then ask it
${body.task
  .split("\n")
  .map((line) => `# ${line}`)
  .join("\n")}`
  }
]
