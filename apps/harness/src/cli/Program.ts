/** The version that `--version`, the console and the reports show. */
export const version = "0.1.0"

/** What is known of how this process was started. */
export interface Started {
  /** The address of this module: TypeScript in a checkout of the repository. */
  readonly module: string
  /** The file that was started, as it was named. */
  readonly script: string | undefined
  /** What a package manager says of itself to what it starts. */
  readonly userAgent: string | undefined
}

const runners = { pnpm: "pnpm exec", yarn: "yarn", bun: "bunx", npm: "npx" } as const

/** How a person starts the program again: as they have started it. */
export const programOf = ({ module, script = "", userAgent = "" }: Started): string => {
  if (module.endsWith(".ts")) return "npm run harness --"
  const [manager = ""] = userAgent.split("/")
  const runner = Object.hasOwn(runners, manager) ? runners[manager as keyof typeof runners] : undefined
  // a package manager that installs it globally links to it from a folder of programs
  const isGlobal = runner === undefined && !script.includes("node_modules")
  return isGlobal ? "webagent-harness" : `${runner ?? "npx"} webagent-harness`
}

/** How a person calls the program. */
export const program = programOf({
  module: import.meta.url,
  script: process.argv[1],
  userAgent: process.env["npm_config_user_agent"]
})

const plainWord = /^[\w./:=@%+,-]+$/u

/** A word as a shell takes it. */
export const quoted = (text: string): string =>
  plainWord.test(text) ? text : `"${text.replaceAll(/["$`\\]/gu, (character) => `\\${character}`)}"`
