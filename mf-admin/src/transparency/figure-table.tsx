import { Card, classNames, DataTable, layout, useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import tables from '../panel/table.module.css';
import styles from './transparency.module.css';

interface Row {
  readonly labels: readonly string[];
  readonly count: number;
}

interface FigureTableProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** A table of counts. The last row contains the sum of the counts. */
export function FigureTable({ title, columns, rows }: FigureTableProps) {
  const t = useText();
  const locale = useLocale();
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className={layout['muted']}>{t('transparency.none')}</p>
      ) : (
        <DataTable
          label={title}
          variant="none"
          className={classNames(tables['table'], styles['table'])}
          rows={rows}
          getKey={({ labels }) => labels.join('|')}
          columns={[
            ...columns.map((head, index) => ({ head, cell: ({ labels }: Row) => labels[index] })),
            { head: t('transparency.count'), cell: ({ count }) => count.toLocaleString(locale) },
          ]}
          foot={
            <tr>
              <th scope="row" colSpan={columns.length}>
                {t('transparency.total')}
              </th>
              <td>{total.toLocaleString(locale)}</td>
            </tr>
          }
        />
      )}
    </Card>
  );
}
