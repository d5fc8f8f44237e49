import type { JsonObject, Raw } from "@webagent/contract"
import type * as SchemaAST from "effect/SchemaAST"

/** Gives what was decoded with `raw` beside its typed fields. */
type Separate = (sent: unknown, decoded: unknown) => unknown

const isRecord = (value: unknown): value is JsonObject => typeof value === "object" && value !== null

/**
 * Separates the fields that a contract's record types from those that it does not: what was sent and has no typed
 * field, or has another form than the field is typed with, is under `raw`. None for what has no such record in it.
 */
export const separatorOf = (ast: SchemaAST.AST): Separate | undefined => {
  if (ast._tag === "Arrays") {
    const each = ast.rest[0] === undefined ? undefined : separatorOf(ast.rest[0])
    if (each === undefined) return undefined
    return (sent, decoded) =>
      Array.isArray(sent) && Array.isArray(decoded)
        ? decoded.map((item: unknown, index) => each(sent[index], item))
        : decoded
  }
  if (ast._tag !== "Objects" || ast.propertySignatures.length === 0 || ast.indexSignatures.length === 0) {
    return undefined
  }
  const typed = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), separatorOf(type)]))
  return (sent, decoded) => {
    if (!isRecord(sent) || !isRecord(decoded)) return decoded
    const fields: Record<string, unknown> & Raw = {}
    for (const [name, separate] of typed) {
      if (Object.hasOwn(decoded, name)) fields[name] = separate ? separate(sent[name], decoded[name]) : decoded[name]
    }
    const rest = Object.entries(sent).filter(([name]) => !Object.hasOwn(fields, name))
    return rest.length === 0 ? fields : { ...fields, raw: Object.fromEntries(rest) }
  }
}
