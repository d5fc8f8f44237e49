import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The TypeScript of a load test; only a checkout of the repository has it. */
export const scriptOf = (test: string): string => at(`../k6/${test}.load.ts`)

/** The bundled script of a load test, which a package has. */
export const bundledScriptOf = (test: string): string => at(`./k6/${test}.load.js`)

/** True if this runs in a checkout of the repository; a package has neither Go sources nor `k6/`. */
export const isCheckout = existsSync(at("../k6/"))

/** Builds our k6 and ends with its path on standard output. */
export const buildK6 = at("../../../../tools/k6/build.mjs")

/** Bundles the load tests into the folder that its argument names. */
export const bundle = at("../bundle.mjs")
