import { cell, code, prose, table } from "./Markdown.ts"

/** A JSON Schema in an OpenAPI document. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly format?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly default?: unknown
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly "x-extension"?: boolean
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema?: JsonSchema
  }>
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}

/** The parts of an OpenAPI document that a page shows. */
export interface Document {
  readonly info: { readonly title: string }
  readonly tags?: ReadonlyArray<{ readonly name: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

const nameOf = (ref: string) => ref.split("/").at(-1) ?? ref

/** A type in words: `string`, a link to `Run`, `array of string`. */
const typeOf = (schema: JsonSchema = {}): string => {
  const { allOf, anyOf, enum: values, format, items, oneOf, type } = schema
  if (schema.$ref !== undefined) return `[${nameOf(schema.$ref)}](#schema-${nameOf(schema.$ref).toLowerCase()})`
  const cases = anyOf ?? oneOf
  if (cases !== undefined) return [...new Set(cases.map(typeOf))].join(" or ")
  if (values !== undefined) return values.map((each) => `\`${String(each)}\``).join(" or ")
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  const [only] = allOf ?? []
  if (type === undefined && only !== undefined) return typeOf(only)
  if (type === "array") return `array of ${typeOf(items)}`
  if (Array.isArray(type)) return type.join(" or ")
  return type === undefined ? "any value" : `${type as string}${format === undefined ? "" : ` (${format})`}`
}

const bodyOf = (content: Content | undefined): string =>
  Object.entries(content ?? {})
    .map(([mediaType, { schema }]) => (mediaType === "application/json" ? typeOf(schema) : `\`${mediaType}\``))
    .join(" or ")

const note = ({ default: value }: JsonSchema) => (value === undefined ? "" : ` Default: \`${JSON.stringify(value)}\`.`)

const drawOperation = (path: string, method: string, operation: Operation): ReadonlyArray<string> => {
  const { operationId, parameters = [], requestBody, responses, summary } = operation
  const body = bodyOf(requestBody?.content)
  return [
    // "Read the status of a run; cheap, meant for polling" has a heading before its semicolon
    `### ${prose(summary.split(/[;,:]/u)[0] ?? summary)} {#${operationId.replaceAll(".", "-").toLowerCase()}}`,
    "",
    ...code("http", `${method.toUpperCase()} ${path}`),
    ...(operation.description === undefined ? [] : [prose(operation.description), ""]),
    ...(operation["x-extension"] === true ? ["This is an extension. A service may not offer it.", ""] : []),
    ...table(
      ["parameter", "in", "type", "description"],
      parameters.map((each) => [
        `\`${each.name}\`${each.required === true ? "" : " (optional)"}`,
        each.in,
        typeOf(each.schema),
        cell((each.description ?? each.schema?.description ?? "") + note(each.schema ?? {}))
      ])
    ),
    ...(body === "" ? [] : [`**Request body** ${body}`, ""]),
    ...table(
      ["status", "body"],
      Object.entries(responses).map(([status, { content }]) => [status, bodyOf(content)])
    )
  ]
}

const drawSchema = (name: string, schema: JsonSchema): ReadonlyArray<string> => [
  `### ${name} {#schema-${name.toLowerCase()}}`,
  "",
  ...(schema.description === undefined ? [] : [prose(schema.description), ""]),
  ...table(
    ["property", "type", "description"],
    Object.entries(schema.properties ?? {}).map(([property, each]) => [
      `\`${property}\`${schema.required?.includes(property) === true ? "" : " (optional)"}`,
      typeOf(each),
      cell((each.description ?? "") + note(each))
    ])
  )
]

/** Draws the page of an OpenAPI document, which the site has at `address`. */
export const httpPage = (title: string, address: string, document: Document): string => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  )
  const groups = Map.groupBy(operations, ({ operation }) => operation.operationId.split(".")[0] ?? "")
  const schemas = Object.entries(document.components.schemas).toSorted(([one], [other]) => one.localeCompare(other))
  return [
    `# ${title}`,
    "",
    `Generated from the OpenAPI document, which you can [download](${address}){target="_self"}. Send your key in the header \`X-Service-API-Key\` of every request.`,
    "",
    ...[...groups].flatMap(([group, operations]) => [
      `## ${group.charAt(0).toUpperCase()}${group.slice(1)} {#all-${group.toLowerCase()}}`,
      "",
      ...operations.flatMap(({ method, operation, path }) => drawOperation(path, method, operation))
    ]),
    "## Schemas {#all-schemas}",
    "",
    ...schemas.flatMap(([name, schema]) => drawSchema(name, schema))
  ].join("\n")
}
