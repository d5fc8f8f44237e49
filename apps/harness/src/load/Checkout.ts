import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The TypeScript of a load test; only a checkout has it. */
export const scriptOf = (test: string): string => at(`../../load/${test}.load.ts`)

/** The script of a load test as a build leaves it, beside this module. */
export const packedScriptOf = (test: string): string => at(`./${test}.load.js`)

/** Whether this program runs in a checkout of the repository; a package has neither Go sources nor load/. */
export const isCheckout = existsSync(at("../../load/"))

/** Builds our k6 and ends with its path on standard output. */
export const buildK6 = at("../../../../tools/k6/build.mjs")

/** Bundles the load tests into the folder that its argument names. */
export const bundle = at("../../build-load.mjs")
