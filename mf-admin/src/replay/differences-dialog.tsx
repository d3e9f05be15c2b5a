import { useQuery } from '@tanstack/react-query';
import type { RowDifferenceView } from '@alpenglow/domain/contracts';
import { Dialog, ErrorBox, messageOf, useApi } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { differencesQuery } from './calls.ts';
import { useText } from './text.ts';
import styles from './projections-page.module.css';

/** The rows that differ between what is read and what was rebuilt. */
export function DifferencesDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const found = useQuery(differencesQuery(api, name));
  return (
    <Dialog open title={t('replay.differencesOf', { name })} onClose={onClose}>
      {found.isPending && <Loading height="12rem" />}
      {found.isError && (
        <ErrorBox
          message={messageOf(found.error, t('replay.differencesFailed'))}
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data && (
        <>
          <p>{t('replay.differencesShown', { shown: found.data.data.length, count: found.data.total })}</p>
          <div className={styles['scroll']} role="region" aria-label={t('replay.differencesOf', { name })} tabIndex={0}>
            <table className={styles['differences']}>
              <thead>
                <tr>
                  <th scope="col">{t('replay.column')}</th>
                  <th scope="col">{t('replay.live')}</th>
                  <th scope="col">{t('replay.rebuilt')}</th>
                </tr>
              </thead>
              {found.data.data.map((difference) => (
                <Difference key={`${difference.table} ${difference.key}`} difference={difference} />
              ))}
            </table>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** A row, and below it what of it differs; of one that is on one side alone, all there is to say is which one. */
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
