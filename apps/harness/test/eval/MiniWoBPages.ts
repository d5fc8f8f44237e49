import { existsSync } from "node:fs"
import { join } from "node:path"

const named = process.env["WEBAGENT_MINIWOB"] ?? ""

/** The folder of MiniWoB++ that the tests use; undefined without one. */
export const folder = (): string | undefined => (named !== "" && existsSync(join(named)) ? named : undefined)

/** Suffix of a test's name if the pages are missing. */
export const hint =
  folder() === undefined
    ? " (without MiniWoB++: pip install --no-deps --target DIR miniwob==1.1.0, and set WEBAGENT_MINIWOB=DIR)"
    : " and kinds of MiniWoB++"
