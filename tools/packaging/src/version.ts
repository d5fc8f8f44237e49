import { fileURLToPath } from "node:url"
import { write } from "./Versions.ts"

// runs after `changeset version`, which moves package.json only
for (const module of write(fileURLToPath(new URL("../../../", import.meta.url)))) process.stdout.write(`${module}\n`)
