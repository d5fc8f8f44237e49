import { operations as described } from "@webagent/contract/Wire"
import * as Schema from "effect/Schema"

type Names<Version extends keyof typeof described> = `${Version}.${Extract<keyof (typeof described)[Version], string>}`

/** One of the described operations by version and name, such as `v4.getRunStatus`. */
export type Operation = { readonly [Version in keyof typeof described]: Names<Version> }[keyof typeof described]

/** Every described operation by version and name. */
export const operations = Object.entries(described).flatMap(([version, named]) =>
  Object.keys(named).map((name) => `${version}.${name}` as Operation)
)

/** One of the described operations by version and name, such as `v4.getRunStatus`. */
export const Operation = Schema.Literals(operations)
