import type { RowDifferenceView } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';

export interface DifferenceReader {
  /** The first rows that were found not to be the same, with their values as they are now, and how many there were. Null where nothing was compared, or it is over. */
  list(projection: string): Promise<{ readonly rows: readonly RowDifferenceView[]; readonly total: number } | null>;
}

/** As the projectors keep it: keys and columns, no values. */
interface StoredDifference {
  readonly table: string;
  readonly keyColumn: string;
  readonly key: string;
  readonly kind: RowDifferenceView['kind'];
  readonly columns: readonly string[];
}

type Texts = Readonly<Record<string, string | null>>;

/** Longer values are cut off. */
const VALUE_MAX = 300;

/** Reads what differs between what is read and what was rebuilt. */
export function createDifferenceReader({ pool }: { readonly pool: Pool }): DifferenceReader {
  return {
    async list(projection) {
      const { rows } = await pool.query<{ differences: readonly StoredDifference[]; total: number }>(
        `select differences, differing_rows as total from rm.rebuilds where projection = $1 and differing_rows is not null and state in ('ready', 'swapping')`,
        [projection],
      );
      const [found] = rows;
      if (!found) return null;
      const tables = [...new Set(found.differences.map(({ table }) => table))];
      const views = tables.map(async (table) => {
        const differences = found.differences.filter((one) => one.table === table);
        const { keyColumn } = differences[0] as StoredDifference;
        const keys = differences.map(({ key }) => key);
        const [live, rebuilt] = await Promise.all([
          textsOf(`rm."${table}"`, keyColumn, keys),
          textsOf(`rm."${table}__rebuild"`, keyColumn, keys),
        ]);
        return differences.map(({ key, kind, columns }): RowDifferenceView => {
          const value = (row: Texts | undefined, column: string) => row?.[column]?.slice(0, VALUE_MAX) ?? null;
          return {
            table,
            key,
            kind,
            columns: columns.map((column) => ({
              column,
              live: value(live.get(key), column),
              rebuilt: value(rebuilt.get(key), column),
            })),
          };
        });
      });
      return { rows: (await Promise.all(views)).flat(), total: found.total };
    },
  };

  /** Columns of rows as text, by key. None where the table has gone meanwhile. */
  async function textsOf(
    table: string,
    keyColumn: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, Texts>> {
    const { rows: exists } = await pool.query<{ is: boolean }>('select to_regclass($1) is not null as is', [table]);
    if (exists[0]?.is !== true) return new Map();
    const { rows } = await pool.query<{ key: string; texts: Texts }>(
      `select t."${keyColumn}"::text as key, (select json_object_agg(e.key, e.value) from jsonb_each_text(to_jsonb(t)) e) as texts from ${table} t where t."${keyColumn}"::text = any($1)`,
      [keys],
    );
    return new Map(rows.map(({ key, texts }) => [key, texts]));
  }
}
