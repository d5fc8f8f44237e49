import { assert, describe, it } from "@effect/vitest"
import { documents } from "../openapi/generate.ts"
import { descriptions } from "../src/Descriptions.ts"

interface Part {
  readonly description?: string
  readonly name?: string
  readonly operationId?: string
  readonly parameters?: ReadonlyArray<Part>
  readonly properties?: Readonly<Record<string, Part>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Part>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Part>> }
}

/** The operations, parameters, schemas and properties of a document, by a name for people. */
const partsOf = ({ components, paths }: Document): ReadonlyArray<readonly [string, Part]> => {
  const propertiesOf = (owner: string, { properties = {} }: Part): ReadonlyArray<readonly [string, Part]> =>
    Object.entries(properties).flatMap(([name, property]) => [
      [`${owner}.${name}`, property] as const,
      ...propertiesOf(`${owner}.${name}`, property)
    ])
  return [
    ...Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => [
        [operation.operationId ?? "", operation] as const,
        ...(operation.parameters ?? []).map((each) => [`${operation.operationId}(${each.name})`, each] as const)
      ]),
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      [name, schema] as const,
      ...propertiesOf(name, schema)
    ])
  ]
}

const partsByVersion = Object.entries(documents()).map(
  ([version, text]) => [version, partsOf(JSON.parse(text))] as const
)

describe("descriptions", () => {
  for (const [version, parts] of partsByVersion)
    it(`exist for every operation, parameter, schema and property of ${version}`, () => {
      assert.isAbove(parts.length, 200)
      const missing = parts.flatMap(([name, { description }]) => (description === undefined ? [name] : []))
      assert.deepStrictEqual(missing, [])
    })

  it("appear in a document", () => {
    const used = new Set(partsByVersion.flatMap(([, parts]) => parts.map(([, { description }]) => description)))
    assert.deepStrictEqual(
      Object.entries(descriptions).filter(([, text]) => !used.has(text)),
      []
    )
  })
})
