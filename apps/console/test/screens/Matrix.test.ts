import { describe, it } from "vitest"
import { checkAccessibility, checkWidth, isWhole, looks, useConsole } from "./Console.ts"
import { screens } from "./Screens.ts"

describe.runIf(isWhole)("screens", () => {
  const { visit } = useConsole()
  for (const [name, look] of Object.entries(looks)) {
    for (const [screen, { path, prepare }] of Object.entries(screens)) {
      it(`axe finds nothing on ${screen} in ${name}, and nothing scrolls sideways`, () =>
        visit(
          path,
          async (page, server) => {
            await prepare?.(page, server)
            await checkAccessibility(page, screen)
            await checkWidth(page, screen)
          },
          look
        ))
    }
  }
})
