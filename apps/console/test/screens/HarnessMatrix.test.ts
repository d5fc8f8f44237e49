import { describe, it } from "vitest"
import { useHarness } from "../harness/Page.ts"
import { checkAccessibility, checkWidth, isWhole, looks } from "./Console.ts"
import { harnessScreens } from "./HarnessScreens.ts"

describe.runIf(isWhole)("the harness's screens", () => {
  const { visit } = useHarness()
  for (const [name, look] of Object.entries(looks)) {
    for (const [screen, { isEmpty = false, path, prepare }] of Object.entries(harnessScreens)) {
      it(`axe finds nothing on ${screen} in ${name}, and nothing scrolls sideways`, () =>
        visit(
          path,
          async (page, server) => {
            await prepare?.(page, server)
            await checkAccessibility(page, screen)
            await checkWidth(page, screen)
          },
          look,
          isEmpty ? { scenarios: 0 } : {}
        ))
    }
  }
})
