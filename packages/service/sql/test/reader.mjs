// Holds a snapshot of a database until it is killed, and prints a line once it has one.
import { DatabaseSync } from "node:sqlite"

const db = new DatabaseSync(process.argv[2], { readOnly: true })
db.exec("BEGIN")
db.prepare("SELECT count(*) FROM notes").get()
console.log("reads")
setInterval(() => {}, 60_000)
