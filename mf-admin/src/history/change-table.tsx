import type { ChangeView } from '@alpenglow/domain/contracts';
import { classNames, useLocale } from '@alpenglow/ui';
import { DataTable } from '../panel/data-table.tsx';
import { fieldName, valueText } from './labels.ts';
import { useText } from './text.ts';
import styles from './history.module.css';

/** Fields that differ, with what stood there before and after. */
export function ChangeTable({ changes, label }: { readonly changes: readonly ChangeView[]; readonly label: string }) {
  const t = useText();
  const locale = useLocale();
  return (
    <DataTable
      label={label}
      columns={[t('history.field'), t('history.before'), t('history.after')]}
      className={classNames(styles['changes'], styles['wide'])}
    >
      {changes.map(({ field, before, after }) => (
        <tr key={field}>
          <th scope="row">{fieldName(t, field)}</th>
          <td className={styles['was']}>{valueText(t, locale, before)}</td>
          <td>{valueText(t, locale, after)}</td>
        </tr>
      ))}
    </DataTable>
  );
}
