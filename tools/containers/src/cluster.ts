import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { need, run } from "./Engine.ts"
import { Lacking } from "./Report.ts"

const programs: ReadonlyArray<readonly [program: string, flag: string]> = [
  ["kube-apiserver", "--version"],
  ["etcd", "--version"],
  ["kubectl", "version --client"],
  ["openssl", "version"]
]

/** The manifests of the chart, which have to fit the Pod Security level "restricted". */
const manifests = ["deploy/kubernetes/webagent-server.yaml", "deploy/kubernetes/webagent-server-browsers.yaml"]

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Starts an API server of Kubernetes with its database, without nodes, and has it judge the manifests. */
export const testCluster = async (signal: AbortSignal): Promise<string> => {
  for (const [program, flag] of programs)
    if ((await run([program, ...flag.split(" ")])).code === 127) throw new Lacking(`${program} is not on the PATH.`)
  const folder = mkdtempSync(join(tmpdir(), "webagent-cluster-"))
  const children: Array<ReturnType<typeof spawn>> = []
  let log = ""
  const start = (program: string, ...args: ReadonlyArray<string>) => {
    const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-4000)))
    children.push(child)
  }
  try {
    const [etcd, peer, port] = [await freePort(), await freePort(), await freePort()]
    const at = (number: number) => `http://127.0.0.1:${number}`
    start(
      "etcd",
      "--data-dir",
      folder,
      "--listen-client-urls",
      at(etcd),
      "--advertise-client-urls",
      at(etcd),
      "--listen-peer-urls",
      at(peer)
    )
    await need(["openssl", "genrsa", "-out", join(folder, "key.pem"), "2048"])
    writeFileSync(join(folder, "tokens"), "admin,admin,admin,system:masters\n")
    start(
      "kube-apiserver",
      `--etcd-servers=${at(etcd)}`,
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      `--cert-dir=${folder}`,
      "--service-cluster-ip-range=10.96.0.0/16",
      "--authorization-mode=RBAC",
      `--token-auth-file=${join(folder, "tokens")}`,
      "--service-account-issuer=https://localhost",
      `--service-account-key-file=${join(folder, "key.pem")}`,
      `--service-account-signing-key-file=${join(folder, "key.pem")}`,
      // a controller would create them
      "--disable-admission-plugins=ServiceAccount"
    )
    const kubectl = (...args: ReadonlyArray<string>) =>
      run(["kubectl", `--server=https://127.0.0.1:${port}`, "--token=admin", "--insecure-skip-tls-verify", ...args], {
        signal
      })
    while ((await kubectl("get", "--raw", "/readyz")).code !== 0) {
      assert.ok(!signal.aborted && children.every(({ exitCode }) => exitCode === null), log.slice(-1000))
      await sleep(500)
    }
    const level = ["enforce", "warn", "audit"].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`)
    assert.equal((await kubectl("create", "namespace", "webagent")).code, 0)
    assert.equal((await kubectl("label", "namespace", "webagent", ...level)).code, 0)
    let objects = 0
    for (const file of manifests) {
      const { code, text } = await kubectl("--namespace", "webagent", "apply", "--dry-run=server", "--filename", file)
      assert.equal(code, 0, `${file}: ${text}`)
      assert.doesNotMatch(text, /warning/iu, `${file}: ${text}`)
      objects += text.trim().split("\n").length
    }
    const wrong = join(folder, "wrong.yaml")
    writeFileSync(wrong, invalidPolicy)
    const refused = await kubectl("--namespace", "webagent", "apply", "--dry-run=server", "--filename", wrong)
    assert.notEqual(refused.code, 0, "the API server accepts an invalid network policy, so this part proves nothing")
    const version = JSON.parse((await kubectl("version", "--output", "json")).text).serverVersion.gitVersion
    return `an API server (${version}) accepts ${objects} objects in a "restricted" namespace: 0 refusals, 0 warnings; no pods run`
  } finally {
    for (const child of children) child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An object that fits its schema, and that an API server refuses. */
const invalidPolicy = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: wrong }
spec:
  podSelector: {}
  egress: [{ to: [{ ipBlock: { cidr: "::/0", except: ["::ffff:0:0/96"] } }] }]
`
