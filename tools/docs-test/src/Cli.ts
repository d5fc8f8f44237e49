import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { root } from "./Documents.ts"

interface Program {
  readonly name: string
  readonly main: string
  /** How it is run in this repository. */
  readonly here: string
}

const programs: ReadonlyArray<Program> = [
  { name: "webagent-harness", main: "apps/harness/src/main.ts", here: "npm run harness --" },
  { name: "webagent-server", main: "apps/server/src/main.ts", here: "npm run server --" }
]

type Sections = ReadonlyMap<string, ReadonlyArray<string>>

const helps = new Map<string, Sections>()

/** What a command prints for --help, by the headings of its sections. */
const help = ({ main }: Program, command: ReadonlyArray<string>): Sections => {
  const known = helps.get([main, ...command].join(" "))
  if (known !== undefined) return known
  const text = execFileSync(
    process.execPath,
    ["--conditions=@webagent/source", join(root, main), ...command, "--help"],
    { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } }
  )
  const sections = new Map<string, Array<string>>()
  let lines: Array<string> = []
  for (const line of text.split("\n")) {
    if (/^[A-Z][A-Z ]+$/u.test(line)) sections.set(line, (lines = []))
    else if (line.trim() !== "") lines.push(line.trim())
  }
  helps.set([main, ...command].join(" "), sections)
  return sections
}

const table = (heads: ReadonlyArray<string>, lines: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (lines.length === 0) return []
  const rows = lines.map((line) => {
    const [name = "", text = ""] = line.split(/\s{2,}/u)
    return `| \`${name.replaceAll("|", "\\|")}\` | ${text.replaceAll("|", "\\|").replaceAll("<", "&lt;")} |`
  })
  return ["", `| ${heads.join(" | ")} |`, "| --- | --- |", ...rows]
}

/** The names of the commands below one. */
const below = (sections: Sections): ReadonlyArray<string> =>
  (sections.get("SUBCOMMANDS") ?? []).flatMap((line) => line.split(/\s{2,}/u)[0] ?? [])

const exitCode = /^\d+ {2,}/u

const pages = (program: Program, command: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const sections = help(program, command)
  const examples = sections.get("EXAMPLES") ?? []
  const description = sections.get("DESCRIPTION") ?? []
  return [
    "",
    `${command.length === 0 ? "##" : "###"} ${[program.name, ...command].join(" ")}`,
    "",
    description
      .filter((line) => line !== "Exit codes:" && !exitCode.test(line))
      .map((line) => line.replaceAll("<", "&lt;"))
      .join(" "),
    ...table(
      ["exit code", "meaning"],
      description.filter((line) => exitCode.test(line))
    ),
    ...(command.length === 0
      ? ["", `In this repository: \`${program.here}\`. Elsewhere: \`npx ${program.name}\`.`]
      : ["", "```", ...(sections.get("USAGE") ?? []), "```"]),
    ...table(["command", "what it does"], sections.get("SUBCOMMANDS")),
    ...table(["argument", "what it is"], sections.get("ARGUMENTS")),
    ...table(["flag", "what it does"], sections.get("FLAGS")),
    ...(examples.length === 0 ? [] : ["", "```", ...examples, "```"]),
    ...below(sections).flatMap((name) => pages(program, [...command, name]))
  ]
}

const intro = `# CLI reference

Every command with its flags, generated from the programs by \`npm run docs\`. Every command also has \`--help\`, \`--version\`, \`--log-level\`, and \`--completions SHELL\`, which prints a [completion script](develop.md#complete-commands-with-tab). What \`--json\` prints: [JSON output](json-output.md).

## Exit codes
`

/** What an exit code means, whichever command ends with it. */
const meanings: Readonly<Record<string, string>> = {
  0: "All is well. `compare`, `load --ab`, `drift`: no difference seen.",
  1: "Something is wrong: a failure, a leak, a regression, a broken threshold, a failed check, or items that `reap` could not stop. `compare`, `load --ab`: worse. `drift`: differences.",
  2: "Wrong arguments or files. One line on standard error says what to change.",
  3: "The service does not answer, or refuses the key.",
  4: "No k6, and no Go to build it.",
  5: "`compare`, `load --ab`: cannot tell. Record more nights, or run more pairs. `drift`: cannot tell. Compare the same suites.",
  6: "`compare`, `load --ab`: better.",
  130: "Stopped by Ctrl-C. The first Ctrl-C stops what runs and writes the reports; a second one ends at once."
}

/** The exit codes that a program's commands name in their help, each with its commands. */
const exitCodes = (program: Program, command: ReadonlyArray<string> = []): ReadonlyArray<readonly [string, string]> => {
  const sections = help(program, command)
  return [
    ...(sections.get("DESCRIPTION") ?? [])
      .filter((line) => exitCode.test(line))
      .map((line) => [line.split(" ")[0] ?? "", `\`${command.join(" ")}\``] as const),
    ...below(sections).flatMap((name) => exitCodes(program, [...command, name]))
  ]
}

const exitTable = (): ReadonlyArray<string> => {
  const found = Map.groupBy(
    programs.flatMap((program) => exitCodes(program)),
    ([code]) => code
  )
  const unknown = [...found.keys()].filter((code) => !Object.hasOwn(meanings, code))
  if (unknown.length > 0) throw new Error(`tools/docs-test/src/Cli.ts says nothing of exit code ${unknown.join(", ")}.`)
  return [
    "| code | meaning | commands |",
    "| --- | --- | --- |",
    ...Object.entries(meanings).map(([code, meaning]) => {
      const commands = found.get(code)?.map(([, command]) => command) ?? []
      return `| ${code} | ${meaning} | ${commands.join(", ")} |`
    })
  ]
}

/** docs/cli.md, from what the programs print of themselves. */
export const cliPage = (): string =>
  [intro, ...exitTable(), ...programs.flatMap((program) => pages(program))].join("\n") + "\n"
