import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root, sources } from "./Documents.ts"

/** A block of TypeScript in a doc comment. */
interface Example {
  /** Relative to the root. */
  readonly file: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly code: string
}

/** Returns the examples in the doc comments of the packages' sources. */
export const examples = (): ReadonlyArray<Example> =>
  sources()
    .filter((file) => file.startsWith("packages/") && file.includes("/src/"))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), "utf8")
      return Array.from(source.matchAll(/^ *\* ```ts\n([\s\S]*?)^ *\* ```$/gmu), ({ 1: block = "", index }) => ({
        file,
        line: source.slice(0, index).split("\n").length,
        code: block.replaceAll(/^ *\* ?/gmu, "")
      }))
    })
