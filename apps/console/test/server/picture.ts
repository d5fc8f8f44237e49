import { readFileSync } from "node:fs"

/** The page of a made-up website. */
export const picture: Uint8Array = readFileSync(new URL("picture.jpg", import.meta.url))
