import * as Flag from "effect/cli/Flag"
import { loading } from "@webagent/cli/Loading"
import * as Struct from "effect/Struct"
import { setFlagsFromString } from "node:v8"
import { configured } from "../Configured.ts"
import * as Flags from "../Flags.ts"
import { help } from "../Help.ts"
import { flags, optionsOf } from "../RunFlags.ts"
import { variable } from "../../ui/RunVariable.ts"

/** Options of `run` that a page sets for each run. */
const decidedByPage = {
  tag: [],
  owner: [],
  name: undefined,
  trial: undefined,
  lastFailed: false,
  bail: undefined,
  reportDir: undefined,
  reporters: [],
  debug: false,
  shard: undefined,
  record: false
}

/** The flags of runs that a page starts. */
const ofRuns = Struct.omit(flags, Struct.keys(decidedByPage))

/** `ui`: the screens to run suites and read nights. What it runs with is loaded when it runs. */
export const ui = configured(
  "ui",
  {
    ...ofRuns,
    port: Flags.optional(
      Flags.isPort(Flag.Int("port")),
      "Listen on this port of 127.0.0.1 (default: 4500, or the next free one)"
    ),
    export: Flags.text("export", "Write the screens with their data to this file, and serve nothing")
  },
  ({ export: file, port, ...parsed }, _words, { config }) => {
    const options = optionsOf({ ...decidedByPage, ...parsed }, config.nightly)
    if (process.env[variable] !== undefined) {
      // a program that a suite starts is none
      delete process.env[variable]
      return loading(async () => (await import("../../ui/RunOfPage.ts")).carryOut(options))
    }
    return file === undefined
      ? loading(async () => {
          // the program runs for a day: without these, garbage of its start keeps 150 MB
          setFlagsFromString("--semi-space-growth-factor=1")
          setFlagsFromString("--heap-growing-percent=20")
          return (await import("./serveUi.ts")).serveUi(options, port)
        })
      : loading(async () => (await import("./exportPage.ts")).exportPage(options, file))
  },
  ({ suites }) => suites
).pipe(
  help("Run suites and read nights in a browser", {
    does: "Run suites, watch them, and read runs, nights and load tests in a browser",
    exits: { 0: "stopped with Ctrl-C, or exported", 2: "wrong usage" },
    more: ["It listens on 127.0.0.1 only, and the printed address has a token: keep it to yourself"],
    examples: { ui: "The project in this folder", "ui --export nights.html": "One file for CI artifacts" }
  })
)
