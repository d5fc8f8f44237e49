/** Facts about how this process was started. */
export interface Started {
  /** The name of the program, such as `webagent-server`. */
  readonly name: string
  /** The address of a module of the program: TypeScript in a checkout of the repository. */
  readonly module: string
  /** The file that was started, as it was named. */
  readonly script: string | undefined
  /** The user agent of a package manager, which it passes to the programs that it starts. */
  readonly userAgent: string | undefined
}

const runners = { pnpm: "pnpm exec", yarn: "yarn", bun: "bunx", npm: "npx" } as const

/** Returns the command that starts the program again in the same way. */
export const programOf = ({ module, name, script = "", userAgent = "" }: Started): string => {
  if (module.endsWith(".ts")) return `npm run ${name.replace("webagent-", "")} --`
  const [manager = ""] = userAgent.split("/")
  const runner = Object.hasOwn(runners, manager) ? runners[manager as keyof typeof runners] : undefined
  // a package manager that installs it globally links to it from a folder of programs
  const isGlobal = runner === undefined && !script.includes("node_modules")
  return isGlobal ? name : `${runner ?? "npx"} ${name}`
}

/** Returns the command that a user types for the program of this process. */
export const here = (name: string, module: string): string =>
  programOf({ name, module, script: process.argv[1], userAgent: process.env["npm_config_user_agent"] })

const plainWord = /^[\w./:=@%+,-]+$/u

/** Quotes a word for a shell if it needs quotes. */
export const quoted = (text: string): string =>
  plainWord.test(text) ? text : `"${text.replaceAll(/["$`\\]/gu, (character) => `\\${character}`)}"`
