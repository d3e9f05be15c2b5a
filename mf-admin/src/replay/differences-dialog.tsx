import { useQuery } from '@tanstack/react-query';
import type { RowDifferenceView } from '@alpenglow/domain/contracts';
import { Dialog, QueryView, useApi } from '@alpenglow/ui';
import { formatProjectionName } from '../panel/part-names.ts';
import { differencesQuery } from './api.ts';
import { useText } from '../text.ts';
import styles from './projections-page.module.css';

/** Lists the rows that differ between the live read model and the rebuilt read model. */
export function DifferencesDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const t = useText();
  const title = t('replay.differencesOf', { name: formatProjectionName(t, name) });
  const result = useQuery(differencesQuery(useApi(), name));
  return (
    <Dialog open title={title} onClose={onClose}>
      <QueryView query={result} failedText={t('replay.differencesFailed')} loadingHeight="12rem">
        {({ data, total }) => (
          <>
            <p>{t('replay.differencesShown', { shown: data.length, count: total })}</p>
            <div className={styles['scroll']} role="region" aria-label={title} tabIndex={0}>
              <table className={styles['differences']}>
                <thead>
                  <tr>
                    <th scope="col">{t('replay.column')}</th>
                    <th scope="col">{t('replay.live')}</th>
                    <th scope="col">{t('replay.rebuilt')}</th>
                  </tr>
                </thead>
                {data.map((difference) => (
                  <Difference key={`${difference.table} ${difference.key}`} difference={difference} />
                ))}
              </table>
            </div>
          </>
        )}
      </QueryView>
    </Dialog>
  );
}

/**
 * Shows a row that differs between the live and the rebuilt read model, with the differing columns. For a row that
 * exists in only one of the two read models, no columns are shown.
 */
function Difference({ difference: { table, key, kind, columns } }: { readonly difference: RowDifferenceView }) {
  const t = useText();
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={3}>
          {key}
          <span>
            {table} · {t(`replay.kinds.${kind}`)}
          </span>
        </th>
      </tr>
      {kind === 'changed' &&
        columns.map(({ column, live, rebuilt }) => (
          <tr key={column}>
            <td>{column}</td>
            <td>{live ?? '–'}</td>
            <td>{rebuilt ?? '–'}</td>
          </tr>
        ))}
    </tbody>
  );
}
