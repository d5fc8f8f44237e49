import { apps } from "./Apps.ts"
import { clicks } from "./Clicks.ts"
import { drawings } from "./Drawings.ts"
import { fields } from "./Fields.ts"
import { games } from "./Games.ts"
import { menus } from "./Menus.ts"
import type { Rules } from "./Rule.ts"
import { shapes } from "./Shapes.ts"

/** Replacements of a model, by kind of task. */
export const rules: Rules = { ...apps, ...clicks, ...drawings, ...fields, ...games, ...menus, ...shapes }
