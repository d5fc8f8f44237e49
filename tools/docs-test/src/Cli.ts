import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliOutput from "effect/cli/CliOutput"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import { appModule } from "./Documents.ts"

type CommandLine = Effect.Effect<void, unknown, NodeServices.NodeServices>

interface Program {
  readonly name: string
  readonly commandLine: Promise<CommandLine>
  /** The command that runs it in this repository. */
  readonly here: string
}

const programs: ReadonlyArray<Program> = [
  {
    name: "webagent-harness",
    commandLine: appModule("apps/harness/src/harness.ts").then(({ commandLine }) => commandLine),
    here: "npm run harness --"
  },
  {
    name: "webagent-server",
    commandLine: appModule("apps/server/src/commandLine.ts").then(({ commandLine }) => commandLine),
    here: "npm run server --"
  }
]

type Sections = ReadonlyMap<string, ReadonlyArray<string>>

/** Returns the output of a program, run in this process: a separate one takes a second of CPU time to start. */
const printed = async (program: Program, args: ReadonlyArray<string>): Promise<string> => {
  const commandLine = await program.commandLine
  const lines: Array<string> = []
  const console: Console.Console = { ...globalThis.console, log: (text) => void lines.push(String(text)) }
  const services = Layer.mergeAll(
    Stdio.layerTest({ args: Effect.succeed(args) }),
    Layer.succeed(Console.Console, console),
    CliOutput.layer(CliOutput.defaultFormatter({ colors: false }))
  )
  await Effect.runPromise(commandLine.pipe(Effect.provide(services), Effect.provide(NodeServices.layer)))
  return lines.join("\n")
}

/** A command of a program: what it prints for --help, by the headings of its sections, and the commands below it. */
interface Help {
  readonly command: ReadonlyArray<string>
  readonly sections: Sections
  readonly below: ReadonlyArray<Help>
}

const help = async (program: Program, command: ReadonlyArray<string> = []): Promise<Help> => {
  const text = await printed(program, [...command, "--help"])
  const sections = new Map<string, Array<string>>()
  let lines: Array<string> = []
  for (const line of text.split("\n")) {
    if (/^[A-Z][A-Z ]+$/u.test(line)) sections.set(line, (lines = []))
    else if (line.trim() !== "") lines.push(line.trim())
  }
  const below: Array<Help> = []
  for (const line of sections.get("SUBCOMMANDS") ?? [])
    below.push(await help(program, [...command, line.split(/\s{2,}/u)[0] ?? ""]))
  return { command, sections, below }
}

const table = (heads: ReadonlyArray<string>, lines: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (lines.length === 0) return []
  const rows = lines.map((line) => {
    const [name = "", text = ""] = line.split(/\s{2,}/u)
    return `| \`${name.replaceAll("|", "\\|")}\` | ${text.replaceAll("|", "\\|").replaceAll("<", "&lt;")} |`
  })
  return ["", `| ${heads.join(" | ")} |`, "| --- | --- |", ...rows]
}

const exitCode = /^\d+ {2,}/u

const pages = (program: Program, { below, command, sections }: Help): ReadonlyArray<string> => {
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
    ...below.flatMap((each) => pages(program, each))
  ]
}

const intro = `# CLI reference

Every command with its flags, generated from the programs by \`npm run docs\`. Every command also has \`--help\`, \`--version\`, \`--log-level\`, and \`--completions SHELL\`, which prints a [completion script](develop.md#complete-commands-with-tab). What \`--json\` prints: [JSON output](json-output.md).

## Exit codes
`

/** Meanings of the exit codes, the same for every command. */
const meanings: Readonly<Record<string, string>> = {
  0: "All is well. `compare`, `load compare`, `drift`: no difference seen. `load compare`: also within the tolerance, or faster.",
  1: "Something is wrong: a failure, a leak, a regression, a broken threshold, a failed check, or items that `reap` could not stop. `compare`, `load compare`: worse. `drift`: differences.",
  2: "Wrong arguments or files. One line on standard error says what to change.",
  3: "The service does not answer, or refuses the key.",
  4: "No k6, and no Go to build it.",
  5: "`compare`, `load compare`: cannot tell. `load compare`: also slower, but maybe within the tolerance. Record more nights, or run more pairs. `drift`: cannot tell. Compare the same suites.",
  6: "`compare`, `load compare`: better.",
  130: "Stopped by Ctrl-C. The first Ctrl-C stops what runs and writes the reports; a second one ends at once."
}

/** The exit codes that a program's commands name in their help, each with its commands. */
const exitCodes = ({ below, command, sections }: Help): ReadonlyArray<readonly [string, string]> => [
  ...(sections.get("DESCRIPTION") ?? [])
    .filter((line) => exitCode.test(line))
    .map((line) => [line.split(" ")[0] ?? "", `\`${command.join(" ")}\``] as const),
  ...below.flatMap(exitCodes)
]

const exitTable = (helps: ReadonlyArray<Help>): ReadonlyArray<string> => {
  const meaningsByCode = Map.groupBy(helps.flatMap(exitCodes), ([code]) => code)
  const unknown = [...meaningsByCode.keys()].filter((code) => !Object.hasOwn(meanings, code))
  if (unknown.length > 0) throw new Error(`tools/docs-test/src/Cli.ts says nothing of exit code ${unknown.join(", ")}.`)
  return [
    "| code | meaning | commands |",
    "| --- | --- | --- |",
    ...Object.entries(meanings).map(([code, meaning]) => {
      const commands = meaningsByCode.get(code)?.map(([, command]) => command) ?? []
      return `| ${code} | ${meaning} | ${commands.join(", ")} |`
    })
  ]
}

/** docs/cli.md, from what the programs print of themselves. */
export const cliPage = async (): Promise<string> => {
  const helps = await Promise.all(programs.map(async (program) => ({ program, help: await help(program) })))
  const sections = helps.flatMap(({ help, program }) => pages(program, help))
  return [intro, ...exitTable(helps.map(({ help }) => help)), ...sections].join("\n") + "\n"
}
