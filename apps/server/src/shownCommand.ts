import { quoted } from "@webagent/cli/Program"
import { program } from "./program.ts"

/** Flags whose values may be secrets. */
const secretFlags = ["--admin-key", "--api-key", "--control-key", "--country-proxies"]

/** An address of a database may contain a password. The path of a file is shown. */
const isSecret = (flag: string | undefined, value: string) =>
  secretFlags.includes(flag ?? "") || (flag === "--data" && value.includes("://"))

/** Quotes arguments for a shell, and leaves out values that may be secrets. */
export const shownArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.map((arg, index) => {
    if (isSecret(args[index - 1], arg)) return "..."
    const [flag = "", ...value] = arg.split("=")
    return value.length > 0 && isSecret(flag, value.join("=")) ? `${flag}=...` : quoted(arg)
  })

/** Returns the command line that starts this program with these arguments, without secrets. */
export const shownCommand = (args: ReadonlyArray<string>): string => [program, ...shownArgs(args)].join(" ")
