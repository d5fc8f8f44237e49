/** The statement that makes a function for triggers in Postgres. */
export const triggerFunction = (
  name: string,
  body: string,
  { declare, returns = "NULL" }: { readonly declare?: string; readonly returns?: "NEW" | "NULL" } = {}
): string => `CREATE FUNCTION ${name}() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    ${declare === undefined ? "" : `DECLARE ${declare};`}
    BEGIN
      ${body}
      RETURN ${returns};
    END $$`
