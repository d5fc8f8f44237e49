import { ControlApi, Fault, FaultCondition, operations, oracles, scriptKeys, SettingsFile } from "@webagent/control"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Result from "effect/Result"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"

const page = readFileSync(join(root, "docs/simulated-service-reference.md"), "utf8")

/** What stands in backquotes in the first column of a table, or in another one. */
const column = (heading: string, index = 1): ReadonlyArray<string> => {
  const [, after = ""] = page.split(`\n| ${heading} |`)
  const [table = ""] = after.split("\n\n")
  const cells = table.split("\n").map((row) => row.split("|")[index] ?? "")
  return cells.slice(1).flatMap((cell) => [...cell.matchAll(/`([^`]+)`/gu)].flatMap((match) => match[1] ?? []))
}

describe("docs/simulated-service-reference.md", () => {
  it("has a row for every kind of fault, with its fields", () => {
    assert.deepStrictEqual(
      column("kind"),
      Fault.members.map(({ fields }) => fields.kind.literal)
    )
    const named = new Set(column("kind", 3).map((field) => field.replace("?", "")))
    const fields = Fault.members.flatMap((member) => Object.keys(member.fields))
    assert.sameMembers(
      [...new Set(fields)].filter((field) => field !== "kind" && field !== "placement"),
      [...named].filter((name) => fields.includes(name))
    )
  })

  it("has a row for every condition, and names every operation", () => {
    assert.sameMembers([...column("condition")], Object.keys(FaultCondition.fields))
    for (const operation of operations) assert.include(page, `\`${operation}\``)
  })

  it("has a row for every oracle", () => assert.deepStrictEqual(column("oracle"), [...oracles]))

  it("has every key of a script", () => assert.deepStrictEqual(column("key"), [...scriptKeys]))

  it("has a row for every operation of the control API", () => {
    const { paths } = OpenApi.fromApi(ControlApi)
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("/control/v1", "")}`)
    )
    const written = column("request").flatMap((text) => /^(?:GET|PUT|POST) [^?]+/u.exec(text)?.[0] ?? [])
    assert.sameMembers(
      written.map((text) => text.replace(/\{\w+\}/u, "{}")),
      [...served.map((text) => text.replace(/\{\w+\}/u, "{}")), "GET /openapi.json"]
    )
  })
})

describe("fault plans of the examples", () => {
  const files = globSync("apps/examples/faults/*.json", { cwd: root })

  it("exist", () => assert.isNotEmpty(files))

  for (const file of files) {
    it(`${file} is valid`, () => {
      const plan = SettingsFile.faultPlanFromJson(readFileSync(join(root, file), "utf8"))
      assert.deepStrictEqual(Result.isFailure(plan) ? plan.failure.lines : [], [])
    })
  }
})
