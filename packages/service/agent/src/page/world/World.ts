import { confirming, type Confirming } from "./Confirming.ts"
import { contents, type Contents } from "./Contents.ts"
import { controls, type Controls } from "./Controls.ts"
import { describing, type Describing } from "./Describing.ts"
import { dragging, type Dragging } from "./Dragging.ts"
import { drafting, type Drafting } from "./Drafting.ts"
import { filling, type Filling } from "./Filling.ts"
import { focusing, type Focusing } from "./Focusing.ts"
import { framing, type Framing } from "./Framing.ts"
import { guarding, type Guarding } from "./Guarding.ts"
import { highlighting, type Highlighting } from "./Highlighting.ts"
import { holding, type Holding } from "./Holding.ts"
import { locating, type Locating } from "./Locating.ts"
import { marking, type Marking } from "./Marking.ts"
import { moving, type Moving } from "./Moving.ts"
import { naming, type Naming } from "./Naming.ts"
import { numbering, type Numbering } from "./Numbering.ts"
import { paths, type Paths } from "./Paths.ts"
import { points, type Points } from "./Points.ts"
import { reading, type Reading } from "./Reading.ts"
import { recalling, type Recalling } from "./Recalling.ts"
import { roles, type Roles } from "./Roles.ts"
import { rows, type Rows } from "./Rows.ts"
import { sight, type Sight } from "./Sight.ts"
import { trees, type Trees } from "./Trees.ts"
import { words, type Words } from "./Words.ts"

/** The agent's functions in each document, in a world of its own that the page can't reach. */
export type World = Words &
  Trees &
  Framing &
  Roles &
  Naming &
  Describing &
  Rows &
  Numbering &
  Confirming &
  Sight &
  Drafting &
  Contents &
  Controls &
  Reading &
  Guarding &
  Dragging &
  Locating &
  Filling &
  Focusing &
  Marking &
  Points &
  Paths &
  Moving &
  Recalling &
  Holding &
  Highlighting

// each is sent as its source text, and receives the functions of the parts before it
const parts = [
  words,
  trees,
  framing,
  roles,
  naming,
  describing,
  rows,
  numbering,
  confirming,
  sight,
  drafting,
  contents,
  controls,
  reading,
  guarding,
  dragging,
  locating,
  filling,
  focusing,
  marking,
  points,
  paths,
  moving,
  recalling,
  holding,
  highlighting
]

/** Makes `agentWorld` in a document that has none. */
export const source = `globalThis.agentWorld??=[${parts.map(String).join(",")}].reduce((world,part)=>Object.assign(world,part(world)),{});0`
