import type { ChangeView } from '@alpenglow/domain/contracts';
import { classNames, DataTable, layout, useLocale } from '@alpenglow/ui';
import { AccountName } from '../panel/account-name.tsx';
import { formatFieldName, formatValue } from './labels.ts';
import { useText } from '../text.ts';
import tables from '../panel/table.module.css';
import styles from './history.module.css';

interface ChangeTableProps {
  readonly changes: readonly ChangeView[];
  /** Display names by account id. */
  readonly names?: Readonly<Record<string, string>>;
  readonly label: string;
}

/** A table of changed fields with the values before and after the change. */
export function ChangeTable({ changes, names = {}, label }: ChangeTableProps) {
  const t = useText();
  const locale = useLocale();
  const format = (field: string, value: ChangeView['after']) =>
    /(?:^|\.)accountId$/u.test(field) && typeof value === 'string' ? (
      <AccountName id={value} names={names} />
    ) : (
      formatValue(t, locale, value)
    );
  return (
    <DataTable
      label={label}
      variant="none"
      className={classNames(tables['table'], styles['changes'], styles['wide'])}
      rows={changes}
      getKey={({ field }) => field}
      columns={[
        { head: t('history.field'), cell: ({ field }) => formatFieldName(t, field) },
        { head: t('history.before'), cell: ({ field, before }) => format(field, before), className: layout['muted'] },
        { head: t('history.after'), cell: ({ field, after }) => format(field, after) },
      ]}
    />
  );
}
