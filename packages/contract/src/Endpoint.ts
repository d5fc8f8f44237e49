import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Schema from "effect/Schema"
import { declared } from "./Errors.ts"
import type { Operation } from "./Operation.ts"

type Path<Described extends string> = Described extends `${infer Before}{${infer Name}}${infer After}`
  ? Path<`${Before}:${Name}${After}`>
  : Described

type Field<Of, Name extends string> = Of extends { readonly [Key in Name]: infer Found extends Schema.Top }
  ? Found
  : never

type ErrorOf<Of> = Of extends { readonly errors: ReadonlyArray<infer Found extends Schema.Top> } ? Found : never

const declarations = new Map<Schema.Top, Schema.Top>()

/** The same value for all endpoints: two would be two components of one name in the OpenAPI document. */
const declaredOnce = (error: Schema.Top & { readonly identifier: string }) => {
  const declaration = declarations.get(error) ?? declared(error)
  declarations.set(error, declaration)
  return declaration
}

/** An operation of the contract's table as an endpoint of its HttpApi. By default, a POST responds with 201. */
export const endpoint = <const Name extends string, const Of extends Operation>(
  name: Name,
  { errors = [], method, params, path, payload, query, status = method === "POST" ? 201 : 200, success }: Of,
  summary: string
) =>
  HttpApiEndpoint.make(method)(name, path.replaceAll(/\{(\w+)\}/gu, ":$1") as "/", {
    params,
    query,
    payload,
    success: status === 200 ? success : success.pipe(HttpApiSchema.status(status)),
    error: errors.map(declaredOnce)
  }).annotate(OpenApi.Summary, summary) as object as HttpApiEndpoint.HttpApiEndpoint<
    Name,
    Of["method"],
    Path<Of["path"]>,
    Field<Of, "params">,
    Field<Of, "query">,
    Field<Of, "payload">,
    never,
    Of["success"],
    ErrorOf<Of>
  >

/** An operation that the description doesn't show as an endpoint, which OpenAPI marks with `x-extension`. */
export const extension: typeof endpoint = (name, of, summary) =>
  endpoint(name, of, summary).annotate(OpenApi.Override, { "x-extension": true })
