import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./Workflow.ts"

const text = (path: string) => readFileSync(join(root, path), "utf8")

/** Pages of the server's commands. */
const commands = globSync("docs/{cli.md,cli/webagent-server*.md}", { cwd: root }).map(text).join("\n")

/** Settings of the server, as its flags name them. */
const settings = () => new Set(commands.match(/WEBAGENT_SERVER_\w+|(?<=`--)[a-z-]+/gu) ?? [])
/** True if the server has a setting with this environment name. */
export const isSetting = (name: string) =>
  settings().has(name.replace("WEBAGENT_SERVER_", "").toLowerCase().replaceAll("_", "-")) || settings().has(name)

/** The seconds of a duration such as `30s`. */
export const seconds = (time: string) => Number(/^(\d+)s$/u.exec(time)?.[1])
