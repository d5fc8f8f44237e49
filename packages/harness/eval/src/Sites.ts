import { files } from "./sites/Files.ts"
import { injection } from "./sites/Injection.ts"
import { longForm } from "./sites/LongForm.ts"
import { mail } from "./sites/Mail.ts"
import { shop } from "./sites/Shop.ts"
import { signIn } from "./sites/SignIn.ts"
import { tables } from "./sites/Tables.ts"
import { tickets } from "./sites/Tickets.ts"
import type { Site } from "./sites/Site.ts"

/** The sites of the harness, in the order of reports. */
export const sites: ReadonlyArray<Site> = [shop, mail, tickets, tables, longForm, signIn, files, injection]
