import { type ColumnTypes, postgresTypes, sqliteTypes } from "./ColumnTypes.ts"
import { triggerFunction } from "./triggerFunction.ts"

const tables = ({ id, integer, keyed, serial, strict }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE workspaces (
    n ${serial},
    id ${id} NOT NULL UNIQUE,
    owner ${id} NOT NULL,
    of_run INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    created_at_ms ${integer} NOT NULL,
    updated_at_ms ${integer} NOT NULL,
    bytes ${integer} NOT NULL DEFAULT 0,
    files ${integer} NOT NULL DEFAULT 0
  )${strict}`,
  `CREATE INDEX workspaces_owned ON workspaces (owner, of_run, archived)`,
  `CREATE INDEX workspaces_bytes ON workspaces (owner, bytes) WHERE bytes > 0`,
  `CREATE INDEX workspaces_over ON workspaces (updated_at_ms) WHERE archived + of_run > 0`,
  `CREATE TABLE workspace_files (
    id ${id} PRIMARY KEY,
    workspace_id ${id} NOT NULL,
    path ${id} NOT NULL,
    content_type TEXT NOT NULL,
    size ${integer} NOT NULL,
    modified_at_ms ${integer} NOT NULL
  )${keyed}`,
  `CREATE UNIQUE INDEX workspace_files_of ON workspace_files (workspace_id, path)`,
  `CREATE INDEX workspace_files_modified ON workspace_files (modified_at_ms)`,
  `CREATE TABLE workspace_uploads (
    id ${id} PRIMARY KEY,
    workspace_id ${id} NOT NULL,
    owner ${id} NOT NULL,
    path ${id} NOT NULL,
    content_type TEXT NOT NULL,
    announced ${integer},
    size ${integer} NOT NULL,
    running INTEGER NOT NULL DEFAULT 0,
    until_ms ${integer} NOT NULL
  )${keyed}`,
  `CREATE INDEX workspace_uploads_of ON workspace_uploads (workspace_id)`,
  `CREATE INDEX workspace_uploads_owned ON workspace_uploads (owner)`,
  `CREATE INDEX workspace_uploads_over ON workspace_uploads (until_ms)`,
  `CREATE TABLE file_garbage (id ${id} PRIMARY KEY, due_ms ${integer} NOT NULL)${keyed}`,
  `CREATE INDEX file_garbage_due ON file_garbage (due_ms)`
]

/**
 * The tables of workspaces in SQLite. Triggers keep the sums of a workspace, and note the ids whose bytes are to be
 * deleted: whatever deletes a row of a file, its bytes are deleted after the commit.
 */
export const fileTables = [
  ...tables(sqliteTypes),
  `CREATE TRIGGER workspace_files_added AFTER INSERT ON workspace_files BEGIN
    UPDATE workspaces SET bytes = bytes + NEW.size, files = files + 1 WHERE id = NEW.workspace_id;
  END`,
  `CREATE TRIGGER workspace_files_deleted AFTER DELETE ON workspace_files BEGIN
    UPDATE workspaces SET bytes = bytes - OLD.size, files = files - 1 WHERE id = OLD.workspace_id;
    INSERT INTO file_garbage VALUES (OLD.id, 0);
  END`,
  `CREATE TRIGGER workspaces_deleted AFTER DELETE ON workspaces BEGIN
    DELETE FROM workspace_uploads WHERE workspace_id = OLD.id;
    DELETE FROM workspace_files WHERE workspace_id = OLD.id;
  END`,
  // the files of a run are a workspace with the id of the run
  `CREATE TRIGGER turns_deleted_files AFTER DELETE ON turns BEGIN
    DELETE FROM workspaces WHERE id = OLD.id;
  END`
]

/** The same in Postgres. */
export const postgresFileTables = [
  ...tables(postgresTypes),
  triggerFunction(
    "count_workspace_file",
    `IF TG_OP = 'INSERT' THEN
        UPDATE workspaces SET bytes = bytes + NEW.size, files = files + 1 WHERE id = NEW.workspace_id;
      ELSE
        UPDATE workspaces SET bytes = bytes - OLD.size, files = files - 1 WHERE id = OLD.workspace_id;
        INSERT INTO file_garbage VALUES (OLD.id, 0);
      END IF;`
  ),
  `CREATE TRIGGER workspace_files_counted AFTER INSERT OR DELETE ON workspace_files FOR EACH ROW
    EXECUTE FUNCTION count_workspace_file()`,
  triggerFunction(
    "delete_workspace_files",
    `DELETE FROM workspace_uploads WHERE workspace_id = OLD.id;
      DELETE FROM workspace_files WHERE workspace_id = OLD.id;`
  ),
  `CREATE TRIGGER workspaces_deleted AFTER DELETE ON workspaces FOR EACH ROW EXECUTE FUNCTION delete_workspace_files()`,
  triggerFunction("delete_run_files", "DELETE FROM workspaces WHERE id = OLD.id;"),
  `CREATE TRIGGER turns_deleted_files AFTER DELETE ON turns FOR EACH ROW EXECUTE FUNCTION delete_run_files()`
]

/** Files with their owner, because each owner keeps files for another time. */
export const fileOwners = ({ id }: ColumnTypes): ReadonlyArray<string> => [
  `ALTER TABLE workspace_files ADD COLUMN owner ${id}`,
  `UPDATE workspace_files SET owner = (SELECT owner FROM workspaces WHERE workspaces.id = workspace_id)`,
  `DROP INDEX workspace_files_modified`,
  `CREATE INDEX workspace_files_modified ON workspace_files (owner, modified_at_ms)`,
  `DROP INDEX workspaces_over`,
  `CREATE INDEX workspaces_over ON workspaces (owner, updated_at_ms) WHERE archived + of_run > 0`
]

/** The same in Postgres. */
export const postgresFileOwners = [
  ...fileOwners(postgresTypes),
  // servers of the version before store files without it
  triggerFunction("own_workspace_file", "NEW.owner := (SELECT owner FROM workspaces WHERE id = NEW.workspace_id);", {
    returns: "NEW"
  }),
  `CREATE TRIGGER workspace_files_owned BEFORE INSERT ON workspace_files FOR EACH ROW WHEN (NEW.owner IS NULL)
    EXECUTE FUNCTION own_workspace_file()`
]
