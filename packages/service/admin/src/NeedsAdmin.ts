import * as Context from "effect/Context"

/** An endpoint's annotation: only a key with the scope `admin` may use it. Other keys get a 403. */
export const NeedsAdmin: Context.Reference<boolean> = Context.Reference("@webagent/admin/NeedsAdmin", {
  defaultValue: () => false
})
