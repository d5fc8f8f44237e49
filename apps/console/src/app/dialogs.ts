import { lazy } from "react"
import type { Dialogs } from "./Frame.tsx"

/** The palette and the keys, which are loaded when they are first opened. */
export const dialogs: Dialogs = {
  Palette: lazy(() => import("./Palette.tsx")),
  Help: lazy(() => import("./Help.tsx"))
}
