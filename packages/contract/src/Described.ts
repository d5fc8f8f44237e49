import * as OpenApi from "effect/http-api/OpenApi"
import { descriptions } from "./Descriptions.ts"
import type { ApiVersion } from "./Wire.ts"

/** A JSON Schema with properties, as far as descriptions need it. */
interface Described {
  description?: string
  readonly properties?: Readonly<Record<string, Described>>
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          Described & {
            readonly operationId: string
            readonly parameters: ReadonlyArray<Described & { readonly name: string }>
          }
        >
      >
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, Described>> }
}

/** Describes everything in the OpenAPI document of a version, wherever it's generated. */
export const described = (version: ApiVersion) => {
  const textOf = (...keys: ReadonlyArray<string>): string | undefined => {
    const candidates = keys.flatMap((each) => [`${version}/${each}`, each])
    return candidates.map((each) => descriptions[each]).find((text) => text !== undefined)
  }
  const describe = (target: Described, ...keys: ReadonlyArray<string>) => {
    const text = target.description ?? textOf(...keys)
    if (text !== undefined) target.description = text
  }
  const describeProperties = (schema: string, { properties = {} }: Described) => {
    for (const [name, property] of Object.entries(properties)) {
      describe(property, `${schema}.${name}`, name)
      describeProperties(schema, property)
    }
  }
  return OpenApi.annotations({
    transform: (document) => {
      const { components, paths } = document as Document
      for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
        describe(operation, operation.operationId)
        for (const parameter of operation.parameters)
          describe(parameter, `${operation.operationId}.${parameter.name}`, parameter.name)
      }
      for (const [name, schema] of Object.entries(components.schemas)) {
        describe(schema, name)
        describeProperties(name, schema)
      }
      return document
    }
  })
}
