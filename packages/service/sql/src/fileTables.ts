/**
 * The tables of workspaces in SQLite. Triggers keep the sums of a workspace, and note the ids whose bytes are to be
 * deleted: whatever deletes a row of a file, its bytes are deleted after the commit.
 */
export const fileTables = [
  `CREATE TABLE workspaces (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    of_run INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL DEFAULT 0,
    files INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  `CREATE INDEX workspaces_owned ON workspaces (owner, of_run, archived)`,
  `CREATE INDEX workspaces_bytes ON workspaces (owner, bytes) WHERE bytes > 0`,
  `CREATE INDEX workspaces_over ON workspaces (updated_at_ms) WHERE archived + of_run > 0`,
  `CREATE TABLE workspace_files (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    path TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE UNIQUE INDEX workspace_files_of ON workspace_files (workspace_id, path)`,
  `CREATE INDEX workspace_files_modified ON workspace_files (modified_at_ms)`,
  `CREATE TABLE workspace_uploads (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    path TEXT NOT NULL,
    content_type TEXT NOT NULL,
    announced INTEGER,
    size INTEGER NOT NULL,
    running INTEGER NOT NULL DEFAULT 0,
    until_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX workspace_uploads_of ON workspace_uploads (workspace_id)`,
  `CREATE INDEX workspace_uploads_owned ON workspace_uploads (owner)`,
  `CREATE INDEX workspace_uploads_over ON workspace_uploads (until_ms)`,
  `CREATE TABLE file_garbage (id TEXT PRIMARY KEY, due_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE INDEX file_garbage_due ON file_garbage (due_ms)`,
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
] as const
