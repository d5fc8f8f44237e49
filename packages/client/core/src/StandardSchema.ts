/** A schema of any library that follows standardschema.dev: zod, valibot, arktype, Effect (`Schema.toStandardSchemaV1`). */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** Asks for a result as it is. */
export interface WithoutResult {
  readonly result?: undefined
}

/** The outcome of a StandardSchema validation. */
export type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
      }>
    }
