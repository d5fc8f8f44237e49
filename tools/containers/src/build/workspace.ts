import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../../../", import.meta.url))

const output_most = 2 ** 26

/** Runs pnpm for one package of the repository and returns what it prints. */
export const pnpm = (name: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(join(root, "node_modules/.bin/pnpm"), ["--filter", name, ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: output_most,
    stdio: ["ignore", "pipe", "inherit"]
  })

/** Returns the list of all packages that a program depends on, in the format CycloneDX. */
export const sbomOf = (name: string): string => pnpm(name, "sbom", "--prod", "--sbom-format", "cyclonedx")
