import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { serverIn } from "../measure/Bundle.ts"
import { versionOf } from "../measure/PeerInstall.ts"
import type { Command } from "../measure/Pinning.ts"
import { commandOf } from "../measure/ServerCommand.ts"
import { apiKey } from "../measure/ServerProcess.ts"
import type { Version } from "../measure/Versions.ts"
import { writeDatabase, writeMappings, writeOpenApi, writeProfile } from "./Fixtures.ts"
import type { Contestant } from "./Measurement.ts"

/** Port, folder and settings with which a server is started. */
interface Place {
  readonly port: number
  /** Duration of its runs. */
  readonly runs_ms: number
  /** A folder of its own. */
  readonly folder: string
  /** Folder in which the peers are installed. */
  readonly installed: string
  /** Our server as one file. */
  readonly bundle: string
}

/** A server that is measured. */
export interface Peer extends Omit<Contestant, "command"> {
  /** Its row in the table, with its version. */
  readonly title: (place: Pick<Place, "installed">) => string
  /** Remark for reading its row. */
  readonly remark: string
  /** Command that starts it; text is the reason why it cannot run on this machine. */
  readonly command: (place: Place) => Command | string
}

/** A peer as it is started in a place; text is the reason why it cannot be. */
export const contestant = (peer: Peer, place: Omit<Place, "port" | "runs_ms">): Contestant | string => {
  const command = (port: number, runs_ms: number) => peer.command({ ...place, port, runs_ms })
  const tried = command(0, 0)
  if (typeof tried === "string") return tried
  return { ...peer, command: (port, runs_ms) => command(port, runs_ms) as Command }
}

const node = (...args: ReadonlyArray<string>): Command => ({ file: process.execPath, args })

const ours = (name: string, title: string, remark: string, flags: ReadonlyArray<string>, server?: string): Peer => ({
  name,
  title: () => title,
  stateful: true,
  live: true,
  remark,
  command: ({ bundle, port, runs_ms }) => {
    const flagsOfAll = ["--port", String(port), "--api-key", apiKey, "--turn-duration", `${runs_ms}ms`]
    return node(...commandOf(server ?? bundle, "simulate"), ...flagsOfAll, ...flags)
  }
})

/** Our server of another commit, next to this one. */
export const earlier = ({ commit, folder }: Version): Peer =>
  ours("before", `ours, ${commit}`, "another version, with its journal", [], serverIn(folder))

const harness = fileURLToPath(new URL("../../../../apps/harness/src/main.ts", import.meta.url))

/** `webagent-harness serve`, not bundled: its starts are of source. */
const serve = (name: string, suffix: string, remark: string, flags: ReadonlyArray<string>): Peer => ({
  name,
  title: () => `**ours**, \`webagent-harness serve${suffix}\``,
  stateful: true,
  live: true,
  remark,
  command: ({ folder, port, runs_ms }) => {
    const profile = writeProfile(folder, runs_ms)
    const flagsOfAll = ["--port", String(port), "--api-key", apiKey, "--profile", profile, ...flags]
    return node("--conditions=@webagent/source", harness, "serve", ...flagsOfAll)
  }
})

const written = (name: string, title: (installed: string) => string, remark: string): Peer => ({
  name,
  title: ({ installed }) => title(installed),
  stateful: true,
  live: true,
  remark,
  command: ({ installed, port, runs_ms }) => node(join(installed, `${name}.mjs`), String(port), apiKey, String(runs_ms))
})

const prism = (name: string, suffix: string, remark: string, flags: ReadonlyArray<string>): Peer => ({
  name,
  title: ({ installed }) => `Prism ${versionOf(installed, "@stoplight/prism-cli")}${suffix}`,
  stateful: false,
  live: false,
  remark,
  command: ({ folder, installed, port }) =>
    node(
      join(installed, "node_modules/@stoplight/prism-cli/dist/index.js"),
      "mock",
      writeOpenApi(folder),
      "--port",
      String(port),
      ...flags
    )
})

const wiremock = (name: string, suffix: string, remark: string, flags: ReadonlyArray<string>): Peer => ({
  name,
  title: ({ installed }) => `WireMock ${versionOf(installed, "wiremock")}${suffix}`,
  stateful: false,
  live: false,
  // a virtual machine compiles late
  warmups: 5,
  remark,
  command: ({ folder, installed, port }) => {
    if (spawnSync("java", ["-version"]).status !== 0) return "there is no Java here"
    const build = join(installed, "node_modules/wiremock/build")
    const jar = readdirSync(build).find((file) => file.endsWith(".jar"))
    if (jar === undefined) return "its package holds no jar"
    const served = ["--root-dir", writeMappings(folder), "--port", String(port), "--bind-address", "127.0.0.1"]
    return { file: "java", args: ["-jar", join(build, jar), ...served, "--disable-banner", ...flags] }
  }
})

/** Every server, ours first. */
export const peers: ReadonlyArray<Peer> = [
  ours("ours", "**ours**", "its journal is on, as it is unless told not to", []),
  ours("ours-no-journal", "**ours**, no journal", "", ["--journal-size", "0"]),
  serve("serve", "", "a line for each request; started from source", []),
  serve("serve-quiet", " --quiet", "the same without lines", ["--quiet"]),
  written("node-http", () => "node:http by hand", "the floor: no router, no schema"),
  written(
    "fastify",
    (installed) => `Fastify ${versionOf(installed, "fastify")} by hand`,
    "schemas for ids, bodies, status"
  ),
  {
    name: "json-server",
    title: ({ installed }) => `json-server ${versionOf(installed, "json-server")}, quiet`,
    stateful: true,
    live: false,
    remark: "keeps what is posted; a run never moves",
    command: ({ folder, installed, port }) =>
      node(join(installed, "json-server.mjs"), String(port), apiKey, writeDatabase(folder))
  },
  prism("prism-silent", ", `-v silent`", "one answer, from the document", ["--verboseLevel", "silent"]),
  prism("prism", "", "the same, with the log that it writes unless told not to", []),
  wiremock("wiremock-tuned", ", no journal", "one answer, from a mapping", [
    "--no-request-journal",
    "--disable-request-logging"
  ]),
  wiremock("wiremock", "", "the same, with the journal that it keeps unless told not to", [])
]
