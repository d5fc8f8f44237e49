import { apps } from "./Apps.ts"
import { clicks } from "./Clicks.ts"
import { drawings } from "./Drawings.ts"
import { fields } from "./Fields.ts"
import type { Rules } from "./Rule.ts"

/** Replacements of a model, by kind of task. */
export const rules: Rules = { ...apps, ...clicks, ...drawings, ...fields }
