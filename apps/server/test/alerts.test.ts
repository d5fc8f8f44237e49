import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { folder, ready, send, start, until } from "./program.ts"

const key = "K"

const deployed = (path: string) => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), "utf8")

const expressions = {
  "grafana/webagent-server.json": (
    JSON.parse(deployed("grafana/webagent-server.json")) as {
      readonly panels: ReadonlyArray<{ readonly targets?: ReadonlyArray<{ readonly expr: string }> }>
    }
  ).panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  "prometheus/webagent-server.rules.yaml": [
    ...deployed("prometheus/webagent-server.rules.yaml").matchAll(/ expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)/gu)
  ].map(([, lines, line]) => lines ?? line ?? "")
}

/** Labels that Prometheus adds. */
const added = ["instance", "job"]

/** The label names of each metric in a response of `/metrics`. */
const labelsOf = (text: string) => {
  const metrics = new Map<string, Set<string>>()
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gmu)) {
    const all = metrics.get(name) ?? new Set(added)
    for (const [, label = ""] of labels.matchAll(/(\w+)="/gu)) all.add(label)
    metrics.set(name, all)
  }
  return metrics
}

it.live("alert rules and the dashboard use only metrics and labels that a server has", () =>
  Effect.gen(function* () {
    const file = join(yield* folder, "server.db")
    const program = yield* start(["serve", "--port=0", `--data=${file}`, `--api-key=${key}`])
    const { v4 } = yield* ready(program)
    const { body } = yield* send(v4, key, "POST", "/runs", { task: "Find a mug [simulate output=done duration=50ms]" })
    const status = send(v4, key, "GET", `/runs/${String(body["id"])}/status`)
    yield* until(status, (answer) => answer.body["status"] === "completed")
    const { body: scraped } = yield* send(v4?.replace("/api/v4", ""), key, "GET", "/metrics")
    const metrics = labelsOf(String(scraped["text"]))

    for (const [path, all] of Object.entries(expressions)) {
      assert.isAtLeast(all.length, 10, path)
      for (const expression of all) {
        const selectors = [...expression.matchAll(/\b((?:webagent|process|nodejs)_\w+)(?:\{([^}]*)\})?/gu)]
        if (!expression.startsWith("up{")) assert.isNotEmpty(selectors, expression)
        for (const [, name = "", matchers = ""] of selectors) {
          const labels = metrics.get(name)
          assert.isDefined(labels, `${path}: no metric ${name}`)
          for (const [, label = ""] of matchers.matchAll(/(\w+)[=!]/gu))
            assert.include([...(labels ?? [])], label, `${path}: ${expression}`)
        }
        const [, name = ""] = selectors[0] ?? []
        for (const [, grouped = ""] of expression.matchAll(/\bby \(([^)]*)\)/gu))
          for (const label of grouped.split(", "))
            assert.include([...(metrics.get(name) ?? [])], label, `${path}: ${expression}`)
      }
    }
  })
)
