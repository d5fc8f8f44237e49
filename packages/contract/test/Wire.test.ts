import { assert, describe, it } from "@effect/vitest"
import * as OpenApi from "effect/http-api/OpenApi"
import { readFileSync } from "node:fs"
import * as Wire from "../src/Wire.ts"
import { V2Api } from "../src/v2/Api.ts"
import { V3Api } from "../src/v3/Api.ts"
import { V4Api } from "../src/v4/Api.ts"

const documents = { v2: OpenApi.fromApi(V2Api), v3: OpenApi.fromApi(V3Api), v4: OpenApi.fromApi(V4Api) }

interface Listed {
  readonly isExtension: boolean
  readonly operation: string
}

const operationsOf = (document: OpenApi.OpenAPISpec): ReadonlyArray<Listed> =>
  Object.entries(
    document.paths as object as Readonly<Record<string, Readonly<Record<string, { readonly "x-extension"?: boolean }>>>>
  ).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { "x-extension": isExtension = false }]) => ({
      isExtension,
      operation: `${method.toUpperCase()} ${path}`
    }))
  )

const listed = (operations: Readonly<Record<string, { readonly method: string; readonly path: string }>>) =>
  Object.values(operations).map(({ method, path }) => `${method} ${path}`)

describe("Wire", () => {
  for (const version of ["v2", "v3", "v4"] as const) {
    it(`${version} has the operations of the API`, () => {
      const ofApi = operationsOf(documents[version])
      const described = ofApi.filter(({ isExtension }) => !isExtension)
      assert.sameMembers(
        listed(Wire.operations[version]),
        described.map(({ operation }) => operation)
      )
    })

    it(`${version} marks the operations that the description doesn't show`, () => {
      const extensions = operationsOf(documents[version]).filter(({ isExtension }) => isExtension)
      assert.includeMembers(
        listed(Wire.extensions[version]),
        extensions.map(({ operation }) => operation)
      )
    })

    it(`${version} uses the described header for the key`, () => {
      assert.deepInclude(documents[version].components.securitySchemes["apiKey"], {
        type: "apiKey",
        in: "header",
        name: Wire.apiKeyHeader
      })
    })
  }

  it("has terminal statuses that are statuses", () => {
    assert.includeMembers([...Wire.taskStatuses], [...Wire.terminalTaskStatuses])
    assert.includeMembers([...Wire.v3SessionStatuses], [...Wire.terminalV3SessionStatuses])
    assert.includeMembers([...Wire.runStatuses], [...Wire.terminalRunStatuses])
  })

  it("imports nothing, so that a load script can bundle it for free", () => {
    assert.notMatch(
      readFileSync(new URL("../src/Wire.ts", import.meta.url), "utf8"),
      /^\s*(?:import\b|export\b.*\bfrom\b)/mu
    )
  })
})
