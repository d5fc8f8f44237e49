import { assert, describe, it } from "@effect/vitest"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import type { Operation } from "../src/index.ts"
import { V2Api, V2Operations } from "../src/v2/index.ts"
import { V3Api, V3Operations } from "../src/v3/index.ts"
import { V4Api, V4Operations } from "../src/v4/index.ts"

type Table = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** What a schema says, so that two that are not one value can be compared. */
const said = (schema: Schema.Top | undefined) =>
  schema === undefined ? undefined : Schema.toJsonSchemaDocument(Schema.toEncoded(schema))

const only = (schemas: ReadonlyArray<Schema.Top>) => {
  assert.isAtMost(schemas.length, 1)
  return schemas[0]
}

const decodedBy = (schema: Schema.Top | undefined) =>
  Schema.decodeUnknownSync(schema as Schema.Codec<object>)({}).constructor.name

const derived = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const operations: Record<string, object> = {}
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, errors, group, successes }) => {
      operations[`${group.identifier}.${endpoint.identifier}`] = {
        method: endpoint.method,
        path: endpoint.path.replaceAll(/:(\w+)/gu, "{$1}"),
        params: said(endpoint.params),
        payload: said(only(Array.from(endpoint.payload.values()).flatMap(({ schemas }) => schemas))),
        success: said(only(Array.from(successes.values()).flat())),
        errors: Object.fromEntries(Array.from(errors, ([status, schemas]) => [status, decodedBy(only(schemas))]))
      }
    }
  })
  return operations
}

const listed = (table: object) =>
  Object.fromEntries(
    Object.entries(table as Table).flatMap(([group, operations]) =>
      Object.entries(operations).map(([name, { errors, method, params, path, payload, success }]) => [
        `${group}.${name}`,
        {
          method,
          path,
          params: said(params),
          payload: said(payload),
          success: said(success),
          errors: Object.fromEntries(Object.entries(errors).map(([status, schema]) => [status, decodedBy(schema)]))
        }
      ])
    )
  )

describe("Operation", () => {
  it("v2: the operations are those of the HttpApi", () => assert.deepStrictEqual(listed(V2Operations), derived(V2Api)))
  it("v3: the operations are those of the HttpApi", () => assert.deepStrictEqual(listed(V3Operations), derived(V3Api)))
  it("v4: the operations are those of the HttpApi", () => assert.deepStrictEqual(listed(V4Operations), derived(V4Api)))
})
