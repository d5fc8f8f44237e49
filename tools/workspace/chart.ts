/**
 * Renders the Helm chart into `deploy/kubernetes`, for people who use `kubectl` alone: `npm run chart`.
 *
 * Each file names the digest of its sources. So `npm test` can find a stale file on a machine without Helm.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const chart = "deploy/helm/webagent-server"

/** A manifest that the chart makes. */
export interface Rendering {
  /** Path of the manifest in the repository. */
  readonly file: string
  /** Values that differ from the chart's, as paths in the repository. */
  readonly values: ReadonlyArray<string>
  /** First comment of the file. */
  readonly about: string
}

const secret = `#   kubectl create namespace webagent
#   kubectl -n webagent create secret generic webagent-server \\
#     --from-literal=data=postgres://USER:PASSWORD@HOST:5432/webagent --from-literal=api-key="$KEY"`

const applied = (file: string) => `#   kubectl -n webagent apply -f ${file}
#   kubectl -n webagent rollout status deployment/webagent-server`

const simulated = "deploy/kubernetes/webagent-server.yaml"
const browsers = "deploy/kubernetes/webagent-server-browsers.yaml"

/** All manifests that the chart makes. */
export const renderings: ReadonlyArray<Rendering> = [
  {
    file: simulated,
    values: [],
    about: `# Three nodes on one Postgres. Choose a namespace for them, write the Secret, put your registry before the image, and apply:\n${secret}\n${applied(simulated)}`
  },
  {
    file: browsers,
    values: ["deploy/helm/browsers.yaml"],
    about: `# Nodes with real browsers in Chromium's own sandbox, which the Pod Security level "restricted" allows, with autoscaling and
# an Ingress. Replace agent.example and the image. Each machine needs deploy/seccomp/webagent.json as\n# /var/lib/kubelet/seccomp/profiles/webagent.json.\n${secret}\n${applied(browsers)}`
  }
]

/** Returns the SHA-256 digest of the chart and the values of a rendering. */
export const digestOf = ({ about, values }: Rendering): string => {
  const hash = createHash("sha256").update(about)
  for (const file of [...globSync(`${chart}/**/*.{yaml,json}`, { cwd: root }).toSorted(), ...values]) {
    hash.update(`\n${file}\n`).update(readFileSync(join(root, file)))
  }
  return hash.digest("hex")
}

/** True if Helm is on the `PATH`. */
export const hasHelm = (): boolean => spawnSync("helm", ["version", "--short"]).status === 0

/** Renders the chart as one YAML text; throws Helm's message if it refuses. Needs Helm on the `PATH`. */
export const render = (...options: ReadonlyArray<string>): string => {
  // a Helm that `go install` built names an old Kubernetes version
  const args = ["template", "webagent-server", chart, "--namespace", "webagent", "--kube-version", "1.34.0", ...options]
  const { error, status, stderr, stdout } = spawnSync("helm", args, { cwd: root, encoding: "utf8" })
  if (error !== undefined || status !== 0) throw new Error(error?.message ?? stderr.trim())
  return stdout.replaceAll(/^# Source: .*\n/gmu, "").replace(/^---\n/u, "")
}

/** Renders a manifest as it is checked in, but for its layout. */
export const manifestOf = (rendering: Rendering): string =>
  [
    rendering.about,
    "# Helm users: docs/operate-several-servers.md. Made by `npm run chart`: change deploy/helm instead of this file.",
    `# Sources: sha256 ${digestOf(rendering)}`,
    render(...rendering.values.flatMap((file) => ["--values", file]))
  ].join("\n")

if (import.meta.main) {
  if (!hasHelm()) {
    console.error("Rendering the chart needs Helm 3 on the PATH: https://helm.sh/docs/intro/install/")
    process.exit(2)
  }
  for (const rendering of renderings) writeFileSync(join(root, rendering.file), manifestOf(rendering))
  spawnSync("npx", ["oxfmt", ...renderings.map(({ file }) => file)], { cwd: root, stdio: "inherit" })
}
