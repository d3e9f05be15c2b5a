import type { ChangeView } from '@alpenglow/domain/contracts';
import { classNames, DataTable, layout, useLocale } from '@alpenglow/ui';
import { AccountName } from '../panel/account-name.tsx';
import { isMediaField, numberIds, toMediaIds, withoutId } from './id-numbers.ts';
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
  const numbered = numberIds(changes);
  const formatMedia = (field: 'photos' | 'video', value: ChangeView['after']) => {
    const media = toMediaIds(value).map((id) => {
      const number = numbered.find((entry) => entry.field === field && entry.id === id)?.number ?? 0;
      return t(field === 'photos' ? 'history.photo' : 'history.video', { number });
    });
    return formatValue(t, locale, media);
  };
  const format = (field: string, value: ChangeView['after']) =>
    isMediaField(field) ? (
      formatMedia(field, value)
    ) : /(?:^|\.)accountId$/u.test(field) && typeof value === 'string' ? (
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
        { head: t('history.field'), cell: ({ field }) => formatFieldName(t, withoutId(field, numbered)) },
        { head: t('history.before'), cell: ({ field, before }) => format(field, before), className: layout['muted'] },
        { head: t('history.after'), cell: ({ field, after }) => format(field, after) },
      ]}
    />
  );
}

/** The ids of the reviews, photos and videos that a table of changes shows as numbers. It is for technical details. */
export function ChangedIds({ changes }: Pick<ChangeTableProps, 'changes'>) {
  const t = useText();
  return numberIds(changes).map(({ field, id, number }) => (
    <p key={`${field}.${id}`}>
      {formatFieldName(t, field)} {number} <code>{id}</code>
    </p>
  ));
}
