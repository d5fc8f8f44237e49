import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { BlockList, isIP, isIPv6 } from "node:net"
import { constants } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { digestOf, hasHelm, manifestOf, render, renderings } from "../chart.ts"
import { isSetting, seconds } from "./settings.ts"
import { root } from "./Workflow.ts"

const text = (path: string) => readFileSync(join(root, path), "utf8")
const objectsIn = (yaml: string) => parseAllDocuments(yaml).map((one) => one.toJS())

/** Reads a manifest, and finds one of its objects by kind. */
const read = (yaml: string) => {
  const objects = objectsIn(yaml)
  const of = (kind: string) => objects.find((one) => one.kind === kind)
  const pod = of("Deployment").spec.template
  const [server] = pod.spec.containers
  return { objects, of, pod, server }
}

/** What the compiler says of objects as what Kubernetes' own description says of them, unknown fields included. */
const complaints = (manifests: ReadonlyArray<{ readonly apiVersion: string; readonly kind: string }>): string => {
  const folder = join(fileURLToPath(new URL("..", import.meta.url)), ".webagent", "manifests")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [index, one] of manifests.entries()) {
    const group = one.apiVersion === "v1" ? "core/v1" : one.apiVersion.replace(".k8s.io", "")
    writeFileSync(
      join(folder, `${one.kind}-${index}.ts`),
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
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder, encoding: "utf8", stdio: "pipe" })
    return ""
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

/** A seccomp profile in the format of the OCI runtime specification. */
interface Profile {
  readonly defaultAction: string
  readonly defaultErrnoRet: number
  readonly architectures: ReadonlyArray<string>
  readonly syscalls: ReadonlyArray<{
    readonly names: ReadonlyArray<string>
    readonly action: string
    readonly errnoRet?: number
  }>
}

interface Block {
  readonly cidr: string
  readonly except: ReadonlyArray<string>
}

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

it("refusedExceptions returns the exceptions that an API server refuses", () => {
  const wrong = ["::ffff:0:0/96", "::ffff:10.0.0.0/104", "::/0", "10.0.0.0/8", "fc00::/129", "fc00::"]
  assert.deepStrictEqual(refusedExceptions({ cidr: "::/0", except: [...wrong, "fc00::/7"] }), wrong)
  assert.deepStrictEqual(refusedExceptions({ cidr: "10.0.0.0/8", except: ["10.1.0.0/16", "11.0.0.0/16"] }), [
    "11.0.0.0/16"
  ])
})

describe.each(renderings)("$file", (rendering) => {
  const source = text(rendering.file)
  const { objects, of, pod, server } = read(source)

  it("is rendered from the current chart", () => {
    assert.include(source, `# Sources: sha256 ${digestOf(rendering)}\n`, "The chart has changed. Run: npm run chart")
  })

  it("has one set of labels, and settings that the server knows", () => {
    const labels = { "app.kubernetes.io/name": "webagent-server", "app.kubernetes.io/instance": "webagent-server" }
    assert.include(pod.metadata.labels, labels)
    assert.deepStrictEqual(
      [
        of("Deployment").spec.selector.matchLabels,
        of("Service").spec.selector,
        of("PodDisruptionBudget").spec.selector.matchLabels,
        of("NetworkPolicy").spec.podSelector.matchLabels,
        pod.spec.topologySpreadConstraints[0].labelSelector.matchLabels
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
  })

  it("reads the Secret that its first lines create, and contains no secret itself", () => {
    const [, name] = /create secret generic (\S+)/u.exec(source) ?? []
    const keys = Array.from(source.matchAll(/--from-literal=([\w-]+)=/gu), ([, key]) => key)
    const read = server.env.flatMap((one: { readonly valueFrom?: { readonly secretKeyRef?: object } }) =>
      one.valueFrom?.secretKeyRef === undefined ? [] : [one.valueFrom.secretKeyRef]
    )
    assert.deepStrictEqual(
      read,
      keys.map((key) => ({ name, key }))
    )
    assert.lengthOf(read, 2)
    assert.notInclude(JSON.stringify(objects), "postgres://")
  })

  it("has a pod that the restricted level allows", () => {
    const { seccompProfile, ...user } = pod.spec.securityContext
    assert.doesNotHaveAnyKeys(pod.spec, ["hostUsers", "hostNetwork", "hostPID", "hostIPC"])
    assert.deepStrictEqual(user, { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 })
    assert.include(["RuntimeDefault", "Localhost"], seccompProfile.type)
    // the server never calls Kubernetes
    assert.isFalse(pod.spec.automountServiceAccountToken)
    assert.deepStrictEqual(server.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    for (const { name, ...volume } of pod.spec.volumes) assert.hasAllKeys(volume, ["emptyDir"], name)
  })

  it("runs the image that the release workflow pushes for its browsers", () => {
    const { appVersion } = parse(text("deploy/helm/webagent-server/Chart.yaml"))
    const isReal = of("ConfigMap").data.WEBAGENT_SERVER_BROWSERS === "chromium"
    assert.strictEqual(server.image, `webagent-server:${appVersion}${isReal ? "-chromium" : ""}`)
  })

  it("has space for its volumes, at the paths that the image writes to", () => {
    const size = (quantity: string) => Number(/^(\d+)Gi$/u.exec(quantity)?.[1])
    const volumes: ReadonlyArray<{ readonly emptyDir: { readonly sizeLimit: string } }> = pod.spec.volumes
    const total = volumes.reduce((sum, { emptyDir }) => sum + size(emptyDir.sizeLimit), 0)
    assert.isAtLeast(size(server.resources.limits["ephemeral-storage"]), total)
    assert.deepStrictEqual(
      server.volumeMounts.map(({ mountPath }: { readonly mountPath: string }) => mountPath),
      [/^VOLUME (\S+)$/mu.exec(text("deploy/Dockerfile"))?.[1], "/tmp"]
    )
  })

  it("keeps nodes running during an update and while a machine is drained", () => {
    assert.deepStrictEqual(of("Deployment").spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 })
    assert.strictEqual(of("PodDisruptionBudget").spec.maxUnavailable, 1)
  })

  it("allows enough time for a drain", () => {
    const drain = seconds(of("ConfigMap").data.WEBAGENT_SERVER_DRAIN_WITHIN)
    assert.isAbove(pod.spec.terminationGracePeriodSeconds, drain + server.lifecycle.preStop.sleep.seconds + 10)
    assert.deepStrictEqual(
      [server.startupProbe, server.readinessProbe, server.livenessProbe].map(({ httpGet }) => httpGet.path),
      ["/health", "/ready", "/"]
    )
  })

  it("reserves the memory of each real browser", () => {
    const { WEBAGENT_SERVER_BROWSERS, WEBAGENT_SERVER_MAX_BROWSERS = "0" } = of("ConfigMap").data
    const [, amount, unit] = /^(\d+)([GM])i$/u.exec(server.resources.limits.memory) ?? []
    const most = WEBAGENT_SERVER_BROWSERS === "chromium" ? Number(WEBAGENT_SERVER_MAX_BROWSERS) : 0
    assert.isAtLeast(Number(amount) * (unit === "G" ? 1024 : 1), 2048 + 1228 * most)
  })

  it("refers to ports, volumes, labels and pods that exist", () => {
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
    const { WEBAGENT_SERVER_HOST, WEBAGENT_SERVER_PORT } = of("ConfigMap").data
    assert.deepStrictEqual(
      [WEBAGENT_SERVER_HOST, WEBAGENT_SERVER_PORT, pod.metadata.annotations["prometheus.io/port"]],
      ["0.0.0.0", ...Array.from({ length: 2 }, () => String(ports[0]?.containerPort))]
    )
    // Kubernetes only replaces variables that come first
    const [, address, advertised] = server.env
    assert.deepStrictEqual(
      [address.name, advertised.name, advertised.value],
      ["POD_IP", "WEBAGENT_SERVER_ADVERTISE", `http://$(POD_IP):${WEBAGENT_SERVER_PORT}`]
    )
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
    for (const { backend } of of("Ingress")?.spec.rules.flatMap(
      (rule: { readonly http: { readonly paths: object } }) => rule.http.paths
    ) ?? []) {
      assert.strictEqual(backend.service.name, of("Service").metadata.name)
      assert.include(namesOf(of("Service").spec.ports), backend.service.port.name)
    }
  })

  it("lets pods reach only DNS, each other, Postgres and the web", () => {
    const { egress, policyTypes } = of("NetworkPolicy").spec
    assert.deepStrictEqual(policyTypes, ["Ingress", "Egress"])
    const dns = {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": "kube-dns" } }
    }
    const postgres = { podSelector: { matchLabels: { "app.kubernetes.io/name": "postgres" } } }
    const [, , , { to: web }] = egress
    assert.deepStrictEqual(egress, [
      { to: [dns], ports: ["UDP", "TCP"].map((protocol) => ({ port: 53, protocol })) },
      { to: [{ podSelector: of("Deployment").spec.selector }], ports: [{ port: 8080 }] },
      { to: [postgres], ports: [{ port: 5432 }] },
      { to: web, ports: [{ port: 80 }, { port: 443 }] }
    ])
    for (const peer of web) assert.hasAllKeys(peer, ["ipBlock"])
  })

  const blocks: ReadonlyArray<Block> = of("NetworkPolicy").spec.egress.flatMap(
    ({ to }: { readonly to: ReadonlyArray<object> }) => to.flatMap((peer) => ("ipBlock" in peer ? [peer.ipBlock] : []))
  )

  it("has a NetworkPolicy whose exceptions an API server accepts", () => {
    for (const block of blocks) assert.deepStrictEqual(refusedExceptions(block), [], block.cidr)
  })

  it("lets browsers reach the web, but neither private networks nor a cloud's metadata", () => {
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

describe("deploy/kubernetes", () => {
  const [plain, browsers] = renderings.map(({ file }) => read(text(file)))
  if (plain === undefined || browsers === undefined) throw new Error("There are two renderings.")
  const { of, pod, server } = plain

  /** The Deployment after a patch, whose lists are added. */
  const patched = (file: string) => {
    const patch = parse(text(file)).spec.template.spec
    const [change] = patch.containers
    const container = {
      ...server,
      ...change,
      env: [...server.env, ...change.env],
      volumeMounts: [...server.volumeMounts, ...(change.volumeMounts ?? [])],
      securityContext: { ...server.securityContext, ...change.securityContext },
      resources: { ...server.resources, ...change.resources }
    }
    const spec = {
      ...pod.spec,
      ...patch,
      volumes: [...pod.spec.volumes, ...(patch.volumes ?? [])],
      securityContext: { ...pod.spec.securityContext, ...patch.securityContext },
      containers: [container]
    }
    const { spec: deployment, ...rest } = of("Deployment")
    return { patch, change, object: { ...rest, spec: { ...deployment, template: { ...pod, spec } } } }
  }

  it("is valid in Kubernetes, with its patches", () => {
    const claim = parse(text("deploy/kubernetes/files-claim.yaml"))
    const patches = ["chromium", "files"].map((name) => patched(`deploy/kubernetes/${name}.yaml`).object)
    const job = parse(text("deploy/kubernetes/migrate.yaml"))
    assert.strictEqual(complaints([...plain.objects, ...browsers.objects, claim, job, ...patches]), "")
    const { spec, ...rest } = of("PodDisruptionBudget")
    assert.include(complaints([{ ...rest, spec: { ...spec, maxUnavailible: 1 } }]), "maxUnavailible")
  }, 60_000)

  it("has the namespaces that real browsers need", () => {
    const { change, patch } = patched("deploy/kubernetes/chromium.yaml")
    assert.strictEqual(change.name, server.name)
    assert.deepStrictEqual([patch.hostUsers, change.securityContext.procMount], [false, "Unmasked"])
    assert.strictEqual(change.image, browsers.server.image)
    for (const { name } of change.env) assert.isTrue(isSetting(name), name)
  })

  it("migrates the nodes' database with their image and as their user, but gets none of their requests", () => {
    const job = parse(text("deploy/kubernetes/migrate.yaml")).spec.template
    const [{ args, env, image, securityContext }] = job.spec.containers
    const { automountServiceAccountToken, securityContext: user } = pod.spec
    assert.deepInclude(job.spec, { automountServiceAccountToken, securityContext: user })
    assert.deepStrictEqual([args, image, securityContext], [["migrate"], server.image, server.securityContext])
    assert.deepStrictEqual(
      env,
      server.env.filter(({ name }: { readonly name: string }) => name === "WEBAGENT_SERVER_DATA")
    )
    assert.notDeepInclude(job.metadata.labels, of("Service").spec.selector)
  })

  it("gives all nodes one volume for files", () => {
    const claim = parse(text("deploy/kubernetes/files-claim.yaml"))
    const { change, patch } = patched("deploy/kubernetes/files.yaml")
    assert.strictEqual(change.name, server.name)
    assert.deepStrictEqual(claim.spec.accessModes, ["ReadWriteMany"])
    const [{ name, persistentVolumeClaim }] = patch.volumes
    assert.strictEqual(persistentVolumeClaim.claimName, claim.metadata.name)
    const [{ mountPath }] = change.volumeMounts
    assert.deepStrictEqual(change.volumeMounts, [{ name, mountPath }])
    assert.deepStrictEqual(change.env, [{ name: "WEBAGENT_SERVER_FILES", value: mountPath }])
    for (const { name } of change.env) assert.isTrue(isSetting(name), name)
  })

  it("scales by the server's count of browsers", () => {
    const { metrics, scaleTargetRef } = browsers.of("HorizontalPodAutoscaler").spec
    const { kind, metadata } = browsers.of("Deployment")
    assert.deepInclude(scaleTargetRef, { kind, name: metadata.name })
    const [, pods] = metrics
    assert.include(text("apps/server/src/monitoring.ts"), `"${pods.pods.metric.name}"`)
    // the autoscaler alone sets the number of nodes
    assert.isUndefined(browsers.of("Deployment").spec.replicas)
  })

  it("has values for exactly the chart's schema", () => {
    const values = Object.keys(parse(text("deploy/helm/webagent-server/values.yaml"))).toSorted()
    const { properties } = JSON.parse(text("deploy/helm/webagent-server/values.schema.json"))
    assert.deepStrictEqual(
      Object.keys(properties).filter((name) => name !== "global"),
      Object.keys(properties).filter((name) => values.includes(name))
    )
    assert.deepStrictEqual(
      values.filter((name) => !(name in properties)),
      []
    )
  })
})

describe("deploy/seccomp/webagent.json", () => {
  const { defaultAction, syscalls, ...rest }: Profile = JSON.parse(text("deploy/seccomp/webagent.json"))
  const namesOf = (action: string) => syscalls.flatMap((one) => (one.action === action ? one.names : []))
  const allowed = namesOf("SCMP_ACT_ALLOW")
  const refused = namesOf("SCMP_ACT_ERRNO")

  it("has only fields that every engine reads", () => {
    // Docker's own profile also has `includes` and `archMap`, which containerd and CRI-O ignore
    assert.hasAllKeys(rest, ["architectures", "defaultErrnoRet"])
    for (const one of syscalls) assert.containsAllKeys(one, ["names", "action"])
    assert.isEmpty(
      syscalls
        .flatMap((one) => Object.keys(one))
        .filter((key) => !["names", "action", "args", "errnoRet"].includes(key))
    )
    assert.strictEqual(defaultAction, "SCMP_ACT_ERRNO")
  })

  it("allows the calls of bubblewrap and Chromium's sandbox, but no administrator's", () => {
    const sandbox = ["clone", "unshare", "mount", "umount2", "pivot_root", "sethostname", "chroot", "seccomp"]
    assert.includeMembers([...allowed], sandbox)
    const administrator = ["bpf", "init_module", "kexec_load", "keyctl", "perf_event_open", "ptrace", "reboot", "setns"]
    assert.includeMembers([...refused], administrator)
    assert.deepStrictEqual(
      allowed.filter((name) => refused.includes(name)),
      []
    )
  })

  it("lets the C library replace refused calls", () => {
    // with EPERM, threads don't start
    assert.deepInclude(syscalls, { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: constants.errno.ENOSYS })
    assert.strictEqual(rest.defaultErrnoRet, constants.errno.ENOSYS)
  })

  it("is used by Compose and Kubernetes", () => {
    const { localhostProfile } = read(text("deploy/kubernetes/webagent-server-browsers.yaml")).pod.spec.securityContext
      .seccompProfile
    assert.strictEqual(localhostProfile, "profiles/webagent.json")
    assert.include(text("deploy/compose/chromium.yaml"), "- seccomp=../seccomp/webagent.json\n")
    assert.include(text("docs/containers.md"), `/var/lib/kubelet/seccomp/${localhostProfile}`)
  })
})

const helm = hasHelm()

describe.skipIf(!helm)(`deploy/helm${helm ? "" : " (skipped without Helm)"}`, () => {
  it.each(renderings)("renders $file", (rendering) => {
    assert.deepStrictEqual(objectsIn(text(rendering.file)), objectsIn(manifestOf(rendering)))
  })

  it.each([[], ["--values", "deploy/helm/browsers.yaml"]])("passes helm lint in its strict mode %j", (...values) => {
    const args = ["lint", "deploy/helm/webagent-server", "--strict", "--kube-version", "1.34.0", ...values]
    const { status, stderr, stdout } = spawnSync("helm", args, { cwd: root, encoding: "utf8" })
    assert.strictEqual(status, 0, stdout + stderr)
  })

  it("renders the namespaces that browsers need", () => {
    const set = "browsers.enabled=true,browsers.isolation=namespaces,browsers.seccompProfile=a.json"
    const { of, pod, server } = read(render("--set", set))
    assert.deepStrictEqual([pod.spec.hostUsers, server.securityContext.procMount], [false, "Unmasked"])
    assert.deepStrictEqual(pod.spec.securityContext.seccompProfile, { type: "Localhost", localhostProfile: "a.json" })
    assert.strictEqual(of("ConfigMap").data.WEBAGENT_SERVER_MIN_ISOLATION, "namespaces")
  })

  it("mounts a claim for files, and passes the variables of `env` and of a Secret", () => {
    // numbers of a file, unlike those of --set, are floats
    const env = 'env={"WEBAGENT_SERVER_KEEP_DAYS":"30","WEBAGENT_SERVER_KEEP_RUNS":2000000}'
    const { of, pod, server } = read(render("--set", "files.claim=shared,secretEnv=keys", "--set-json", env))
    assert.deepInclude(server.envFrom, { secretRef: { name: "keys" } })
    assert.deepInclude(pod.spec.volumes, { name: "files", persistentVolumeClaim: { claimName: "shared" } })
    assert.deepInclude(server.volumeMounts, { name: "files", mountPath: of("ConfigMap").data.WEBAGENT_SERVER_FILES })
    assert.include(of("ConfigMap").data, { WEBAGENT_SERVER_KEEP_DAYS: "30", WEBAGENT_SERVER_KEEP_RUNS: "2000000" })
  })

  it("accepts a wildcard as the host", () => {
    const { of } = read(render("--set", "ingress.enabled=true,ingress.host=*.agent.example,ingress.tlsSecret=t"))
    const { rules, tls } = of("Ingress").spec
    assert.deepStrictEqual([rules[0].host, tls[0].hosts], ["*.agent.example", ["*.agent.example"]])
  })

  it("refuses values that can't work, with advice", () => {
    const refused = (set: string) => {
      try {
        return render("--set", set)
      } catch (error) {
        return String(error)
      }
    }
    assert.include(
      refused("browsers.enabled=true,browsers.seccompProfile="),
      "Set browsers.seccompProfile to a profile"
    )
    assert.include(refused("ingress.enabled=true"), "Set ingress.host to the name")
    assert.match(refused("browsers.isolation=some"), /isolation/u)
    assert.match(refused("replica=2"), /replica/u)
  })
})
