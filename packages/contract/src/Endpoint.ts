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

/** An operation of the contract's table as an endpoint of its HttpApi. A POST answers 201. */
export const endpoint = <const Name extends string, const Of extends Operation>(
  name: Name,
  { errors = [], method, params, path, payload, success }: Of,
  summary: string
) =>
  HttpApiEndpoint.make(method)(name, path.replaceAll(/\{(\w+)\}/gu, ":$1") as "/", {
    params,
    payload,
    success: method === "POST" ? success.pipe(HttpApiSchema.status(201)) : success,
    error: errors.map(declaredOnce)
  }).annotate(OpenApi.Summary, summary) as object as HttpApiEndpoint.HttpApiEndpoint<
    Name,
    Of["method"],
    Path<Of["path"]>,
    Field<Of, "params">,
    never,
    Field<Of, "payload">,
    never,
    Of["success"],
    ErrorOf<Of>
  >
