import type { ChangeView } from '@alpenglow/domain/contracts';
import { classNames, DataTable, layout, useLocale } from '@alpenglow/ui';
import { formatFieldName, formatValue } from './labels.ts';
import { useText } from '../text.ts';
import tables from '../panel/table.module.css';
import styles from './history.module.css';

/** A table of changed fields with the values before and after the change. */
export function ChangeTable({ changes, label }: { readonly changes: readonly ChangeView[]; readonly label: string }) {
  const t = useText();
  const locale = useLocale();
  return (
    <DataTable
      label={label}
      variant="none"
      className={classNames(tables['table'], styles['changes'], styles['wide'])}
      rows={changes}
      getKey={({ field }) => field}
      columns={[
        { head: t('history.field'), cell: ({ field }) => formatFieldName(t, field) },
        { head: t('history.before'), cell: ({ before }) => formatValue(t, locale, before), className: layout['muted'] },
        { head: t('history.after'), cell: ({ after }) => formatValue(t, locale, after) },
      ]}
    />
  );
}
