import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The script of the load tests in TypeScript; only a checkout of the repository has it. */
export const script = at("../k6/load.ts")

/** The bundled script, which a package has. */
export const bundledScript = at("./k6/load.js")

/** Returns whether this runs in a checkout of the repository. A package has neither Go sources nor `k6/`. */
export const isCheckout = existsSync(at("../k6/"))

/** Builds our k6 and ends with its path on standard output. */
export const buildK6 = at("../../../../tools/k6/build.mjs")

/** Bundles the script into the folder that its argument names. */
export const bundle = at("../bundle.mjs")
