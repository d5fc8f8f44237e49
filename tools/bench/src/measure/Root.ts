import { fileURLToPath } from "node:url"

/** Root folder of this repository. */
export const root = fileURLToPath(new URL("../../../../", import.meta.url))
