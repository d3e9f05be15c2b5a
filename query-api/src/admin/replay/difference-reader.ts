import type { RowDifferenceView } from '@alpenglow/domain';
import { storedNameOf, type Pool } from '@alpenglow/infra';

/**
 * A row that differs between a live table and its rebuilt table, as the projectors store it. It contains the row key
 * and the names of the differing columns, but no values.
 */
interface StoredDifference {
  readonly table: string;
  readonly keyColumn: string;
  readonly key: string;
  readonly kind: RowDifferenceView['kind'];
  readonly columns: readonly string[];
}

type Texts = Readonly<Record<string, string | null>>;

/** The maximum length of a column value in the response. Longer values are truncated. */
const VALUE_MAX = 300;

/** Creates an object that reads the differences between the live tables and the rebuilt tables of a projection. */
export function createDifferenceReader({ pool }: { readonly pool: Pool }) {
  return {
    /**
     * Returns the first differing rows with their current values, and the total number of differing rows. Returns null
     * if the tables have not been compared.
     */
    async list(
      projection: string,
    ): Promise<{ readonly rows: readonly RowDifferenceView[]; readonly total: number } | null> {
      const { rows } = await pool.query<{ differences: readonly StoredDifference[]; total: number }>(
        `select differences, differing_rows as total
           from rm.rebuilds
          where projection = $1 and differing_rows is not null and state in ('ready', 'swapping')`,
        [storedNameOf(pool, projection)],
      );
      const [comparison] = rows;
      if (!comparison) return null;
      const tables = [...new Set(comparison.differences.map(({ table }) => table))];
      const views = tables.map(async (table) => {
        const differences = comparison.differences.filter((difference) => difference.table === table);
        const { keyColumn } = differences[0] as StoredDifference;
        const keys = differences.map(({ key }) => key);
        const [live, rebuilt] = await Promise.all([
          readTexts(`rm."${table}"`, keyColumn, keys),
          readTexts(`rm."${table}__rebuild"`, keyColumn, keys),
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
      return { rows: (await Promise.all(views)).flat(), total: comparison.total };
    },
  };

  /**
   * Reads the rows with the given keys. All column values are converted to text. The keys of the returned map are the
   * row keys. The map is empty if the table does not exist.
   */
  async function readTexts(
    table: string,
    keyColumn: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, Texts>> {
    const { rows: exists } = await pool.query<{ is: boolean }>('select to_regclass($1) is not null as is', [table]);
    if (exists[0]?.is !== true) return new Map();
    const { rows } = await pool.query<{ key: string; texts: Texts }>(
      `select t."${keyColumn}"::text as key,
              (select json_object_agg(e.key, e.value) from jsonb_each_text(to_jsonb(t)) e) as texts
         from ${table} t
        where t."${keyColumn}"::text = any($1)`,
      [keys],
    );
    return new Map(rows.map(({ key, texts }) => [key, texts]));
  }
}
