import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useAtomValue } from "../../state/react.ts"
import { Code } from "../../ui/Code.tsx"
import { project } from "./source.ts"

/** A command of the harness, with the program as the project's user calls it. */
export const Command = ({ label, words }: { readonly label: string; readonly words: string }) => {
  const about = useAtomValue(project)
  const program = AsyncResult.isSuccess(about) ? about.value.commands.program : "npx webagent-harness"
  return <Code label={label} text={`${program} ${words}`} />
}
