/** `calls.mjs` in a process, which then ends by itself: Node, Bun, Deno. */
import { calls } from "./calls.mjs"

const [address, refused, apiKey] = process.argv.slice(2)
console.log(JSON.stringify(await calls({ address, refused, apiKey })))
