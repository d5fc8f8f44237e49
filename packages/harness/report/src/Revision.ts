import * as Schema from "effect/Schema"

/** A commit of a repository. */
export const Commit = Schema.Struct({
  commit: Schema.String,
  /** True if files differed from the commit. */
  isChanged: Schema.optionalKey(Schema.Boolean),
  /** The repository on its forge, if that is known. */
  repository: Schema.optionalKey(
    Schema.Struct({
      /** Web address without a slash at the end, such as `https://github.com/shop/tests`. */
      url: Schema.String,
      forge: Schema.Literals(["github", "gitlab"])
    })
  )
})
export type Commit = typeof Commit.Type

/** The version that a service reports, or that `--service-version` names. */
export const ServiceVersion = Schema.Struct({
  version: Schema.optionalKey(Schema.String),
  commit: Schema.optionalKey(Schema.String)
})
export type ServiceVersion = typeof ServiceVersion.Type

/** The code that a run consisted of, as far as it is known. */
export const Revisions = Schema.Struct({
  suites: Schema.optionalKey(Commit),
  /** The commit of the harness, if it runs from a checkout. */
  harness: Schema.optionalKey(Commit),
  service: Schema.optionalKey(ServiceVersion)
})
export type Revisions = typeof Revisions.Type

/** A run and its code. */
export const RunRevision = Schema.Struct({
  ...Revisions.fields,
  startedAt: Schema.String,
  /** Version of the harness. */
  tool: Schema.String
}).annotate({ identifier: "RunRevision" })
export type RunRevision = typeof RunRevision.Type
