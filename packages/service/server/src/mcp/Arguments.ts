import { issueSentence, requestIssues } from "@webagent/admin"
import { meant } from "@webagent/contract/Spelling"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

const unknown = (name: string, names: ReadonlyArray<string>) => {
  const suggestion = meant(name, names)
  const advice =
    suggestion !== undefined
      ? `Did you mean "${suggestion}"?`
      : names.length === 0
        ? "The tool has no arguments."
        : `Use ${names.join(", ")}.`
  return `"${name}" isn't an argument of this tool. ${advice}`
}

/**
 * The arguments of a tool. The error for wrong ones is in sentences, for the model that has called the tool; for an
 * unknown argument, it names the one that was probably meant.
 */
export const toolArguments = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).pipe(
    Schema.catchDecoding((issue) => {
      const sentences = requestIssues(issue).map((each) =>
        each.issue._tag === "UnexpectedKey" ? unknown(String(each.path.at(-1)), each.names) : issueSentence(each, false)
      )
      return Effect.fail(new SchemaIssue.InvalidValue({ message: sentences.join(" ") }))
    })
  )
