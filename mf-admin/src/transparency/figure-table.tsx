import { useId } from 'react';
import { Card, useLocale } from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './transparency.module.css';

interface FigureTableProps {
  readonly title: string;
  readonly columns: readonly string[];
  /** The words of a row, one for each column, and how many there were. */
  readonly rows: readonly { readonly words: readonly string[]; readonly count: number }[];
}

/** Figures of one kind, with their sum. */
export function FigureTable({ title, columns, rows }: FigureTableProps) {
  const t = useText();
  const locale = useLocale();
  const id = useId();
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card>
      <h2 id={id}>{title}</h2>
      {rows.length === 0 ? (
        <p className={styles['muted']}>{t('transparency.none')}</p>
      ) : (
        <div className={styles['scroll']} role="region" aria-labelledby={id} tabIndex={0}>
          <table className={styles['table']}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
                <th scope="col">{t('transparency.count')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ words, count }) => (
                <tr key={words.join('|')}>
                  {words.map((word, index) =>
                    index === 0 ? (
                      <th key={columns[index]} scope="row">
                        {word}
                      </th>
                    ) : (
                      <td key={columns[index]}>{word}</td>
                    ),
                  )}
                  <td>{count.toLocaleString(locale)}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={columns.length}>
                  {t('transparency.total')}
                </th>
                <td>{total.toLocaleString(locale)}</td>
              </tr>
            </tfoot>
          </table>
        </div>
      )}
    </Card>
  );
}
