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
}

const programs: ReadonlyArray<Program> = [
  {
    name: "webagent-harness",
    commandLine: appModule("apps/harness/src/harness.ts").then(({ commandLine }) => commandLine)
  },
  {
    name: "webagent-server",
    commandLine: appModule("apps/server/src/commandLine.ts").then(({ commandLine }) => commandLine)
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

const cell = (text: string) => text.replaceAll(/[|*]/gu, "\\$&").replaceAll("<", "&lt;")

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.length === 0
    ? []
    : [
        "",
        `| ${heads.join(" | ")} |`,
        `| ${heads.map(() => "---").join(" | ")} |`,
        ...rows.map((row) => `| ${row.join(" | ")} |`)
      ]

/** The first column of a line of help as code, and the rest of the line. */
const row = (line: string): ReadonlyArray<string> => {
  const [name = "", text = ""] = line.split(/\s{2,}/u)
  return [`\`${name.replaceAll("|", "\\|")}\``, cell(text)]
}

const nameOf = (flag: string) => /--[\w-]+/u.exec(flag)?.[0] ?? flag

const exitCode = /^\d+ {2,}/u

/** A command with all commands below it. */
const tree = (help: Help): ReadonlyArray<Help> => [help, ...help.below.flatMap(tree)]

/** The flags of a command, with two spaces between name and text whatever the longest name is. */
const flagsOf = ({ sections }: Help): ReadonlyArray<string> =>
  [...sections]
    .filter(([title]) => /(?:^|\s)FLAGS$/u.test(title) && title !== "GLOBAL FLAGS")
    .flatMap(([, flags]) => flags.map((flag) => flag.replace(/\s{2,}/u, "  ")))

/** The flags that three or more commands of a program share. Of flags with the same name, only the first is one. */
const sharedFlags = (help: Help): ReadonlyArray<string> => {
  const uses = Map.groupBy(tree(help).flatMap(flagsOf), (flag) => flag)
  const shared = [...uses].flatMap(([flag, { length }]) => (length < 3 ? [] : [flag]))
  return shared.filter((flag, index) => index === shared.findIndex((other) => nameOf(other) === nameOf(flag)))
}

const titleOf = ({ name }: Program, { command }: Help) => [name, ...command].join(" ")
const fileOf = (program: Program, help: Help) => `${titleOf(program, help).replaceAll(" ", "-")}.md`
const summaryOf = ({ sections }: Help) => cell(sections.get("DESCRIPTION")?.[0] ?? "")

/** The page of a command. */
const commandPage = (program: Program, help: Help, shared: ReadonlyArray<string>): string => {
  const { below, sections } = help
  const description = sections.get("DESCRIPTION") ?? []
  const text = description.filter((line) => line !== "Exit codes:" && !exitCode.test(line))
  const own = flagsOf(help).filter((flag) => !shared.includes(flag))
  const common = flagsOf(help).filter((flag) => shared.includes(flag))
  const [, ...usage] = sections.get("USAGE")?.[0]?.split(" ") ?? []
  const list = common.map((flag) => `\`${nameOf(flag)}\``).join(", ")
  const lines = [
    `# ${titleOf(program, help)}`,
    "",
    text.map(cell).join(" "),
    "",
    "```",
    ["npx", program.name, ...usage].join(" "),
    "```",
    ...section("Examples", sections.get("EXAMPLES") ?? [], (examples) => ["", "```", ...examples, "```"]),
    ...section("Commands", below, () =>
      table(
        ["command", "description"],
        below.map((each) => [`[${titleOf(program, each)}](${fileOf(program, each)})`, summaryOf(each)])
      )
    ),
    ...section("Arguments", sections.get("ARGUMENTS") ?? [], (lines) =>
      table(["argument", "description"], lines.map(row))
    ),
    ...section("Flags", flagsOf(help), () => [
      ...table(["flag", "description"], own.map(row)),
      ...(common.length === 0
        ? []
        : [
            "",
            `${own.length === 0 ? "It takes" : "It also takes"} these [shared flags](../cli.md#shared-flags-of-${program.name}): ${list}.`
          ])
    ]),
    ...section(
      "Exit codes",
      description.filter((line) => exitCode.test(line)),
      (lines) => table(["code", "meaning"], lines.map(row))
    )
  ]
  return `${lines.join("\n")}\n`
}

/** A section with a heading, or no lines if there is nothing to show. */
const section = <A>(
  heading: string,
  items: ReadonlyArray<A>,
  draw: (items: ReadonlyArray<A>) => ReadonlyArray<string>
): ReadonlyArray<string> => (items.length === 0 ? [] : ["", `## ${heading}`, ...draw(items)])

const intro = `# Commands

Every command of both programs, generated from their help by \`npm run docs\`. In a clone of this repository, run \`npm run harness -- COMMAND\` and \`npm run server -- COMMAND\`. Every command also has \`--help\`, \`--version\`, \`--log-level\`, and \`--completions SHELL\`, which prints a [completion script](develop.md#complete-commands-with-tab). [JSON output](json-output.md) describes the documents that \`--json\` prints.

## Exit codes`

/** Meanings of the exit codes, the same for every command. */
const meanings: Readonly<Record<string, string>> = {
  0: "All is well. `compare`, `load compare`, `drift`: no difference seen. `load compare`: also within the tolerance, or faster.",
  1: "A failure, a leak, a regression, a broken threshold, a failed check, or items that `cleanup` could not stop. `compare`, `load compare`: worse. `drift`: differences.",
  2: "Wrong arguments or files. One line on standard error suggests a correction.",
  3: "The service doesn't respond, or refuses the key.",
  4: "No k6, and no Go to build it.",
  5: "`compare`, `load compare`: cannot tell. `load compare`: also slower, but maybe within the tolerance. Record more nights, or run more pairs. `drift`: cannot tell. Compare the same suites.",
  6: "`compare`, `load compare`: better.",
  130: "Stopped by Ctrl-C. The first Ctrl-C stops the run and writes the reports; a second one exits at once."
}

/** The exit codes that the help of a program's commands lists. */
const exitCodes = (help: Help): ReadonlyArray<string> =>
  tree(help).flatMap(({ sections }) =>
    (sections.get("DESCRIPTION") ?? []).filter((line) => exitCode.test(line)).map((line) => line.split(" ")[0] ?? "")
  )

const exitTable = (helps: ReadonlyArray<Help>): ReadonlyArray<string> => {
  const unknown = helps.flatMap(exitCodes).filter((code) => !Object.hasOwn(meanings, code))
  if (unknown.length > 0)
    throw new Error(`tools/docs-test/src/Cli.ts has no meaning of exit code ${unknown.join(", ")}.`)
  return table(["code", "meaning"], Object.entries(meanings))
}

/** The pages of commands by file, relative to `docs/`: an overview, and a page for each command. */
export const cliPages = async (): Promise<ReadonlyMap<string, string>> => {
  const helps = await Promise.all(programs.map(async (program) => ({ program, help: await help(program) })))
  const pages = new Map<string, string>()
  const overview = helps.flatMap(({ help, program }) => {
    const shared = sharedFlags(help)
    for (const each of tree(help)) pages.set(`cli/${fileOf(program, each)}`, commandPage(program, each, shared))
    return [
      "",
      `## ${program.name}`,
      "",
      `${summaryOf(help)}.`,
      ...table(
        ["command", "description"],
        tree(help).map((each) => [`[${titleOf(program, each)}](cli/${fileOf(program, each)})`, summaryOf(each)])
      ),
      ...(shared.length === 0 ? [] : ["", `### Shared flags of ${program.name}`]),
      ...table(["flag", "description"], shared.map(row))
    ]
  })
  return pages.set("cli.md", [intro, ...exitTable(helps.map(({ help }) => help)), ...overview, ""].join("\n"))
}
