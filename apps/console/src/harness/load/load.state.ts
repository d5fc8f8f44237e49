import { read } from "../state/source.ts"

/** Every load test. */
export const loads = read("load", (source) => source.loads)
