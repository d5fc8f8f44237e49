import { describe, it } from "vitest"
import { useHarness } from "../harness/Page.ts"
import { isWhole, looks, useConsole } from "./Console.ts"
import { harnessScreens } from "./HarnessScreens.ts"
import { screens } from "./Screens.ts"
import { useSimulation } from "./SimulatedConsole.ts"
import { pressEverywhere, walk } from "./Walk.ts"

/** The screens of every test run; the others are walked with all looks of all screens. */
const usual = new Set(["start", "the form of a key", "a trial"])

/** Screens without the frame, which has the palette. */
const isBare = (path: string) => path.startsWith("/share/")

const widths = isWhole ? [looks.light, looks.phone] : [looks.light]

const chosen = <A>(all: Readonly<Record<string, A>>) =>
  Object.entries(all).filter(([name]) => isWhole || usual.has(name))

describe("the Tab key", () => {
  const { visit } = useConsole()
  for (const look of widths)
    for (const [name, { path, prepare }] of chosen(screens))
      it(`reaches every control of ${name} at ${look.width} px, in view and with a visible focus`, () =>
        visit(
          path,
          async (page, server) => {
            await prepare?.(page, server)
            await walk(page, name)
            if (!isBare(path) && name !== "the sign-in") await pressEverywhere(page)
          },
          look
        ))
})

describe.runIf(isWhole)("the Tab key on the screens of the simulated service", () => {
  const { visit } = useSimulation()
  for (const look of widths)
    for (const part of ["", "/faults", "/journal", "/checks", "/open"])
      it(`reaches every control of ${part === "" ? "its behavior" : part.slice(1)} at ${look.width} px`, () =>
        visit(
          `/simulation${part}`,
          async (page, { send }) => {
            await send("POST", "/api/v4/runs", { task: "Find a mug [simulate duration=1h]" })
            await page.locator("nav[aria-label='Parts of the simulated service']").waitFor()
            await walk(page, part)
            await pressEverywhere(page)
          },
          look
        ))
})

describe("the Tab key on the screens of the harness", () => {
  const { visit } = useHarness()
  for (const look of widths)
    for (const [name, { isEmpty = false, path, prepare }] of chosen(harnessScreens))
      it(`reaches every control of ${name} at ${look.width} px, in view and with a visible focus`, () =>
        visit(
          path,
          async (page, server) => {
            await prepare?.(page, server)
            await walk(page, name)
            await pressEverywhere(page)
          },
          look,
          isEmpty ? { scenarios: 0 } : {}
        ))
})
