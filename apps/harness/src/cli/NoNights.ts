import { usage } from "@webagent/report/UserError"
import { program } from "./Program.ts"

/** What is wrong with a history that has no nights, such as a file that does not exist. */
export const noNights = (file: string) =>
  usage(`${file} has no nights. Record one with ${program} run --record, or name another file with --history.`)
