/**
 * Makes docs/images/report.png from a real report: `npm run docs:picture`.
 *
 * Eight green nights of picture/shop.suite.ts make the history; the ninth is broken, and its page is the picture.
 */
import { open } from "@webagent/test-chromium"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../src/Documents.ts"

const nights = 8
const widest_bytes = 200_000

const home = mkdtempSync(join(tmpdir(), "webagent-picture-"))
const harness = (report: string, seed: number) => [
  "--conditions=@webagent/source",
  join(root, "apps/harness/src/main.ts"),
  "run",
  "tools/docs-test/picture/shop.suite.ts",
  "--record",
  `--history=${join(home, "nights.ndjson")}`,
  `--report-dir=${join(home, report)}`,
  `--seed=${seed}`
]

for (let night = 1; night <= nights; night++) {
  execFileSync(process.execPath, harness(`night-${night}`, night), { cwd: root, stdio: "pipe" })
}
const { status } = spawnSync(process.execPath, harness("broken", nights + 1), {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PICTURE: "broken" }
})
if (status !== 1) throw new Error(`The broken night ended with ${status}, not with 1`)

const browser = await open()
const page = await browser.newPage({ viewport: { width: 1100, height: 900 }, colorScheme: "light" })
await page.goto(pathToFileURL(join(home, "broken", "report.html")).href)
await page.getByText("Usage and limits").first().waitFor()
const picture = join(root, "docs/images/report.png")
mkdirSync(join(root, "docs/images"), { recursive: true })
await page.screenshot({ path: picture })
await browser.close()
rmSync(home, { recursive: true })

const { size } = statSync(picture)
console.log(`docs/images/report.png: ${Math.round(size / 1000)} kB`)
if (size > widest_bytes) throw new Error("The picture is over 200 kB: make the viewport smaller")
