import { allOperations } from "@webagent/contract/Wire"
import * as Schema from "effect/Schema"

type Names<Version extends keyof typeof allOperations> =
  `${Version}.${Extract<keyof (typeof allOperations)[Version], string>}`

/** One of the operations by version and name, such as `v4.getRunStatus`. */
export type Operation = { readonly [Version in keyof typeof allOperations]: Names<Version> }[keyof typeof allOperations]

/** Every operation by version and name: the described ones of a version, then its extensions. */
export const operations = Object.entries(allOperations).flatMap(([version, named]) =>
  Object.keys(named).map((name) => `${version}.${name}` as Operation)
)

/** One of the operations by version and name, such as `v4.getRunStatus`. */
export const Operation = Schema.Literals(operations)
