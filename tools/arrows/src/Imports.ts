import { parseSync, Visitor } from "rolldown/utils"

/** An import as a file writes it: values, types, re-exports, `import()` and `import("...")` types alike. */
export interface Import {
  readonly specifier: string
  /** From 1. */
  readonly line: number
}

/** Every import of a source file whose module is named by a literal. */
export const importsOf = (file: string, text: string): ReadonlyArray<Import> => {
  const { module, program } = parseSync(file, text)
  const imports: Array<{ readonly specifier: string; readonly start: number }> = []
  for (const { moduleRequest, start } of module.staticImports) imports.push({ specifier: moduleRequest.value, start })
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, start } of entries)
      if (moduleRequest !== null) imports.push({ specifier: moduleRequest.value, start })
  const literal = (node: { readonly type: string; readonly value?: unknown }, start: number) => {
    if (node.type === "Literal" && typeof node.value === "string") imports.push({ specifier: node.value, start })
  }
  new Visitor({
    ImportExpression: (node) => literal(node.source, node.start),
    TSImportType: (node) => literal(node.source, node.start)
  }).visit(program)
  return imports.map(({ specifier, start }) => ({ specifier, line: text.slice(0, start).split("\n").length }))
}
