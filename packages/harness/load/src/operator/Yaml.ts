/** A value of a manifest. */
export type Node = string | number | boolean | ReadonlyArray<Node> | { readonly [key: string]: Node | undefined }

const isRecord = (node: Node): node is { readonly [key: string]: Node | undefined } =>
  typeof node === "object" && !Array.isArray(node)

const isLeaf = (node: Node): node is string | number | boolean => typeof node !== "object"

// JSON's texts are YAML's, and no plain text of YAML is a number or a truth by accident
const leaf = (node: string | number | boolean): string => JSON.stringify(node)

const lines = (node: Node): ReadonlyArray<string> => {
  if (isLeaf(node)) return [leaf(node)]
  if (isRecord(node)) {
    return Object.entries(node).flatMap(([key, value]) => {
      if (value === undefined) return []
      if (isLeaf(value)) return [`${key}: ${leaf(value)}`]
      return [`${key}:`, ...lines(value).map((line) => `  ${line}`)]
    })
  }
  return node.flatMap((item) => lines(item).map((line, index) => `${index === 0 ? "- " : "  "}${line}`))
}

/** A node as a YAML document. Keys are plain words; fields that are undefined are left out. */
export const stringify = (node: Node): string => `${lines(node).join("\n")}\n`
