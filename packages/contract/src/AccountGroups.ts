import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { AccountExtensions } from "./Account.ts"
import { AllBrowserOperations } from "./AllBrowserOperations.ts"
import { extension } from "./Endpoint.ts"
import { withQueries } from "./Operation.ts"
import { ProfileExtensions } from "./Profile.ts"
import { browserQueries, profileQueries } from "./Queries.ts"

const browsers = withQueries(AllBrowserOperations, browserQueries)
const profiles = withQueries(ProfileExtensions, profileQueries)

/** The operations on browsers in v2 and v3. */
export class BrowsersGroup extends HttpApiGroup.make("browsers").add(
  extension("create", browsers.create, "Create a browser"),
  extension("list", browsers.list, "List browsers"),
  extension("get", browsers.get, "Read a browser"),
  extension("update", browsers.update, "Stop a browser"),
  extension("downloads", browsers.downloads, "List the files that a browser downloaded")
) {}

/** The operations on profiles in v2 and v4. */
export class ProfilesGroup extends HttpApiGroup.make("profiles").add(
  extension("create", profiles.create, "Create a profile"),
  extension("list", profiles.list, "List profiles"),
  extension("get", profiles.get, "Read a profile"),
  extension("update", profiles.update, "Change the name or the user of a profile"),
  extension("delete", profiles.delete, "Delete a profile")
) {}

/** The operation on the account. */
export class BillingGroup extends HttpApiGroup.make("billing").add(
  extension("account", AccountExtensions.account, "Read the usage and the limits of the API key")
) {}
