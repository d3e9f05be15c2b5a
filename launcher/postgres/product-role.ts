import { withClient } from '@alpenglow/infra';
import { DATABASE, PRODUCT_ROLE } from './cluster.ts';

/**
 * Yields a statement for each object of the database that belongs to the current user, who is the superuser. The
 * statement gives the object to the product's role. System catalogs and members of extensions stay with the superuser.
 */
const TRANSFERS = `
  with own as (select oid, $1::text as product from pg_roles where rolname = current_user),
  namespaces as (
    select n.oid, n.nspname, n.nspowner from pg_namespace n
     where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public')),
  named as (select oid from namespaces union select oid from pg_namespace where nspname = 'public'),
  members as (select classid, objid from pg_depend where deptype in ('e', 'i'))
  select format('alter database %I owner to %I', d.datname, product) as statement
    from pg_database d join own on d.datdba = own.oid where d.datname = current_database()
  union all
  select format('alter schema %I owner to %I', n.nspname, product)
    from namespaces n join own on n.nspowner = own.oid
  union all
  select format('alter %s %s owner to %I',
                case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
                               else 'table' end,
                c.oid::regclass, product)
    from pg_class c join own on c.relowner = own.oid join named on named.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
     and (c.relkind <> 'S' or not exists (
           select from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
              and d.deptype in ('a', 'i')))
     and ('pg_class'::regclass, c.oid) not in (select classid, objid from members)
  union all
  select format('alter routine %s owner to %I', p.oid::regprocedure, product)
    from pg_proc p join own on p.proowner = own.oid join named on named.oid = p.pronamespace
   where ('pg_proc'::regclass, p.oid) not in (select classid, objid from members)
  union all
  select format('alter type %s owner to %I', t.oid::regtype, product)
    from pg_type t join own on t.typowner = own.oid join named on named.oid = t.typnamespace
   where ('pg_type'::regclass, t.oid) not in (select classid, objid from members)`;

export interface ProductRoleOptions {
  /** The address of the database for the superuser. */
  readonly superuserUrl: string;
  readonly password: string;
  /** True if the role may exist with another password. */
  readonly setsPassword: boolean;
}

/**
 * Creates the role with which the product uses its database, if it is missing. The role is no superuser, and owns the
 * database with all its schemas, tables, routines and types. Objects that a superuser of an earlier release has created
 * are given to the role. Changes nothing if all of this was done before. A start that is interrupted is completed by
 * the next one. Rejects with the driver's error if the server cannot be reached.
 */
export async function prepareProductRole({ superuserUrl, password, setsPassword }: ProductRoleOptions): Promise<void> {
  await withClient({ connectionString: superuserUrl, applicationName: 'alpenglow-launcher' }, async (client) => {
    await client.query('begin');
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [PRODUCT_ROLE]);
    if (rowCount === 0) await client.query(`create role ${PRODUCT_ROLE} login`);
    if (rowCount === 0 || setsPassword)
      await client.query(`alter role ${PRODUCT_ROLE} password ${client.escapeLiteral(password)}`);
    const { rows } = await client.query<{ statement: string }>(TRANSFERS, [PRODUCT_ROLE]);
    for (const { statement } of rows) await client.query(statement);
    await client.query('commit');
  });
}

/** Returns the address of the database of the product for a role. */
export function toDatabaseUrl(role: string, password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${DATABASE}`;
}
