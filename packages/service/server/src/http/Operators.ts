import * as Layer from "effect/Layer"
import * as Console from "../console/Routes.ts"
import * as Admin from "./admin/Admin.ts"
import * as ErrorHandler from "./policy/ErrorHandler.ts"

/** The routes of operators: the admin API with its keys, and once more behind the console's session. */
export const layer = Layer.mergeAll(Admin.layer, Console.layer, ErrorHandler.layer([Admin.Served, ...Console.Served]))
