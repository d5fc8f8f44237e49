import { basePath, operations } from "@webagent/contract/Wire"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { apiKey } from "../measure/ServerProcess.ts"

/** The run and the session that servers without a create are given. */
export const runId = "0198a1f0-0000-4000-8000-000000000001"
export const sessionId = "0198a1f0-0000-4000-8000-000000000002"

/** Paths of the two reads. */
export const statusPath = (id: string) => `${basePath.v4}${operations.v4.getRunStatus.path.replace("{run_id}", id)}`
export const sessionPath = (id: string) => `${basePath.v2}${operations.v2.getSession.path.replace("{session_id}", id)}`

const statusBody = { status: "running" }

const sessionBody = {
  id: sessionId,
  status: "active",
  liveUrl: null,
  recordingUrl: null,
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: null,
  tasks: [
    {
      id: runId,
      sessionId,
      llm: "simulated",
      task: "Find a red mug",
      status: "started",
      createdAt: "2026-01-01T00:00:00.000",
      startedAt: "2026-01-01T00:00:00.010",
      finishedAt: null,
      metadata: {},
      output: null,
      serviceVersion: null,
      isSuccess: null,
      judgement: null,
      judgeVerdict: null,
      cost: null,
      suggestions: null
    }
  ],
  publicShareUrl: null,
  persistMemory: true,
  keepAlive: true,
  proxyUsedMb: "0",
  proxyCost: "0"
}

const writeJson = (file: string, value: unknown) => {
  writeFileSync(file, JSON.stringify(value))
  return file
}

/** The parts of an OpenAPI document that are carried over. */
interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, object>> }>>
}

const contract = (version: "v2" | "v4"): Document =>
  JSON.parse(
    readFileSync(
      fileURLToPath(new URL(`../../../../packages/contract/openapi/${version}.json`, import.meta.url)),
      "utf8"
    )
  )

/** A read of the contract with the answer that it is to give. */
const answering = (document: Document, path: string, example: unknown) => {
  const get = document.paths[path]?.get
  const ok = get?.responses["200"]
  const json = ok?.content["application/json"]
  if (get === undefined || ok === undefined || json === undefined) throw new Error(`The contract has no GET ${path}`)
  const answer = { ...ok, content: { "application/json": { ...json, example } } }
  return { get: { ...get, responses: { ...get.responses, "200": answer } } }
}

/** The contract's own OpenAPI documents, cut to the two reads, for servers that answer from one. */
export const writeOpenApi = (folder: string): string => {
  const [v2, v4] = [contract("v2"), contract("v4")]
  const { getSession } = operations.v2
  const { getRunStatus } = operations.v4
  return writeJson(join(folder, "openapi.json"), {
    openapi: v4.openapi,
    info: { title: "Two reads", version: "1.0.0" },
    paths: {
      [`${basePath.v2}${getSession.path}`]: answering(v2, getSession.path, sessionBody),
      [`${basePath.v4}${getRunStatus.path}`]: answering(v4, getRunStatus.path, statusBody)
    },
    components: {
      schemas: { ...v2.components.schemas, ...v4.components.schemas },
      securitySchemes: v4.components.securitySchemes
    }
  })
}

/** A profile whose runs take so long. */
export const writeProfile = (folder: string, runs_ms: number): string =>
  writeJson(join(folder, `runs-of-${runs_ms}-ms.json`), { duration: `${runs_ms}ms` })

/** json-server's data; its ids are looked up as ours are. */
export const writeDatabase = (folder: string): string =>
  writeJson(join(folder, "database.json"), { runs: [{ id: runId, ...statusBody }], sessions: [sessionBody] })

const uuid = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

/** WireMock's folder: both reads need the key and an id of the right form. */
export const writeMappings = (folder: string): string => {
  const mappings = join(folder, "mappings")
  mkdirSync(mappings, { recursive: true })
  const mapping = (name: string, urlPathPattern: string, jsonBody: unknown) =>
    writeJson(join(mappings, `${name}.json`), {
      request: { method: "GET", urlPathPattern, headers: { "X-Service-API-Key": { equalTo: apiKey } } },
      response: { status: 200, headers: { "Content-Type": "application/json" }, jsonBody }
    })
  mapping("status", statusPath("[^/]+"), statusBody)
  mapping("session", sessionPath(uuid), sessionBody)
  return folder
}
