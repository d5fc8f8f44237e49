import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse, parseAllDocuments } from "yaml"
import { type ApiServer, type Manifest, type Reply, startApiServer } from "./ApiServer.ts"
import { root } from "./build/workspace.ts"
import { findProgram } from "./kubernetes.ts"

const folder = "deploy/kubernetes"

/** A manifest with the patches that the guides apply to it, and the Pod Security level that they name. */
interface Case {
  readonly level: "restricted" | "baseline"
  readonly file: string
  readonly patches: ReadonlyArray<string>
}

/** The version of Kubernetes since which a level accepts our pods. */
const since = { restricted: "v1.30", baseline: "v1.35" }

const cases: ReadonlyArray<Case> = [
  { level: "restricted", file: "webagent-server.yaml", patches: [] },
  { level: "restricted", file: "webagent-server-browsers.yaml", patches: [] },
  { level: "restricted", file: "webagent-server.yaml", patches: ["files.yaml"] },
  { level: "baseline", file: "webagent-server.yaml", patches: ["chromium.yaml"] }
]

const read = (file: string): string => readFileSync(join(root, folder, file), "utf8")

/** Creates the objects of a case in a namespace of its own, and its pod, which a controller would create. Returns their number. */
const checkCase = async (server: ApiServer, { file, level, patches }: Case, namespace: string): Promise<number> => {
  const accept = ({ body, status, warnings }: Reply, what: string) => {
    assert.ok(status === 200 || status === 201, `${what}: ${body.message}`)
    assert.deepEqual(warnings, [], what)
    return body
  }
  const labelsOf = (mode: string) => ({ [mode]: level, [`${mode}-version`]: since[level] })
  const modes = ["enforce", "warn", "audit"].map((mode) => labelsOf(`pod-security.kubernetes.io/${mode}`))
  const labels: Readonly<Record<string, string>> = Object.assign({}, ...modes)
  accept(await server.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } }), namespace)
  const more = patches.includes("files.yaml") ? ["files-claim.yaml", "migrate.yaml"] : ["migrate.yaml"]
  const objects: ReadonlyArray<Manifest> = [
    ...more.map((name) => parse(read(name))),
    ...parseAllDocuments(read(file)).map((one) => one.toJS())
  ]
  for (const object of objects) accept(await server.create(object, namespace), `${file}, ${object.kind}`)
  const deployment = objects.find(({ kind }) => kind === "Deployment")
  assert.ok(deployment)
  let { template } = deployment.spec
  for (const patch of patches)
    ({ template } = accept(await server.patch(deployment, namespace, parse(read(patch))), patch).spec)
  const { labels: podLabels } = template.metadata
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "pod", labels: podLabels }, spec: template.spec }
  accept(await server.create(pod, namespace), `${[file, ...patches].join(" with ")}, Pod`)
  return objects.length + patches.length + 1
}

/** An object that fits its schema, and that an API server refuses. */
const invalidPolicy: Manifest = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "wrong" },
  spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: "::/0", except: ["::ffff:0:0/96"] } }] }] }
}

/** Starts an API server of Kubernetes, and creates the objects of the manifests. */
export const testCluster = async (signal: AbortSignal): Promise<string> => {
  const programs = { apiServer: await findProgram("kube-apiserver"), etcd: await findProgram("etcd") }
  await using server = await startApiServer(programs, signal)
  const { status } = await server.create(invalidPolicy, "default")
  assert.equal(status, 422, "the API server accepts an invalid network policy, so this part proves nothing")
  let count = 0
  for (const [index, one] of cases.entries()) count += await checkCase(server, one, `webagent-${index}`)
  const bare: Manifest = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "bare" },
    spec: { containers: [{ name: "a", image: "a" }] }
  }
  assert.equal((await server.create(bare, "webagent-0")).status, 403, "the level restricted is not enforced")
  return `a Kubernetes API server (${server.version}) creates ${count} objects, those of the chart in ${cases.length} variants and a pod of each, with 0 refusals and 0 warnings, at the Pod Security level restricted, and baseline for namespaces; no pods run`
}
