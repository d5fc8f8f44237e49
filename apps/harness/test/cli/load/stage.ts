import * as Schema from "effect/Schema"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { LoadReport } from "@webagent/load/LoadReport"
import * as ScriptedK6 from "./ScriptedK6.ts"
import * as ScriptedService from "./ScriptedService.ts"
import { call } from "../inProcess.ts"
import { type Ended, start } from "../program.ts"

/** The key of every service of these tests. */
export const key = "wak_load_canary"

/** What a k6 sums up whose thresholds held. */
export const passed = ScriptedK6.summary({ checks: true }, { http_reqs: 182, runs_completed: 1 })

/** The report of a load test in a folder. */
export const reportIn = (directory: string, test = "smoke") =>
  Schema.decodeUnknownSync(Schema.fromJsonString(LoadReport))(
    readFileSync(join(directory, `load-${test}.json`), "utf8")
  )

/** What the tests of one file share. Files share a process, so each makes its own. */
export const stage = () => {
  /** Where the tests of a file write; removed at their end. */
  const folder = mkdtempSync(join(tmpdir(), "webagent-load-test-"))
  let count = 0
  /** A new folder of its own. */
  const newFolder = () => {
    const path = join(folder, String(count++))
    mkdirSync(path)
    return path
  }
  const services: Array<ScriptedService.ScriptedService> = []
  /** A service that answers as it is told; closed at the end of the file. */
  const serve = async (script: Partial<ScriptedService.Script> = {}) => {
    const service = await ScriptedService.start({ key, simulated: true, ...script })
    services.push(service)
    return service
  }

  afterAll(() => {
    for (const service of services) service.close()
    rmSync(folder, { recursive: true })
  })

  /** How to run `load smoke` on a service, with a program in the place of k6. */
  const prepare = async (body: string, args: ReadonlyArray<string>, service?: ScriptedService.ScriptedService) => {
    const directory = newFolder()
    const k6 = ScriptedK6.write(directory, body)
    const { address } = service ?? (await serve())
    const all = ["load", "smoke", "--target", `${address}/api/v4/`, "--report-dir", directory, ...args]
    return { address, all, directory, k6 }
  }

  /** Runs `load smoke` with a program in the place of k6, in this process. */
  const called = async (body: string, args: ReadonlyArray<string> = []) => {
    const { all, directory, k6 } = await prepare(body, args)
    const ended: Ended = await call(all, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    return { ...ended, directory, k6 }
  }

  /** Runs `load smoke` with a program in the place of k6, as its users do. */
  const scripted = async (
    body: string,
    args: ReadonlyArray<string> = [],
    service?: ScriptedService.ScriptedService
  ) => {
    const { address, all, directory, k6 } = await prepare(body, args, service)
    // what a program that ends at once leaves behind goes with the folder
    const inherited = { HTTPS_PROXY: "http://proxy", TMPDIR: directory }
    const env = { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path, K6_VUS: "7", SECRET: "x", ...inherited }
    return { address, directory, k6, started: start(all, env) }
  }

  return { folder, newFolder, serve, called, scripted }
}
