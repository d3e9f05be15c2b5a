import type { ChangeView } from '@alpenglow/domain/contracts';
import { Button, Card, useLocale } from '@alpenglow/ui';
import type { Moments } from './calls.ts';
import { ChangeTable } from './change-table.tsx';
import { timeText } from './labels.ts';
import { useText } from './text.ts';
import styles from './history.module.css';

/** What differs between the moment that is looked at and another. */
export function Difference({
  moments: { at, and },
  difference,
  onClose,
}: {
  readonly moments: Moments;
  readonly difference: readonly ChangeView[] | null;
  readonly onClose: () => void;
}) {
  const t = useText();
  const locale = useLocale();
  if (and === null) return null;
  // What came first stands first, whichever of the two is looked at.
  const isTurned = at === null || and < at;
  const looked = at === null ? t('history.now') : timeText(locale, at);
  const other = timeText(locale, and);
  const changes =
    difference &&
    (isTurned ? difference.map(({ field, before, after }) => ({ field, before: after, after: before })) : difference);
  return (
    <Card>
      <div className={styles['sectionHead']}>
        <h2>{t('history.difference')}</h2>
        <Button size="small" variant="quiet" onClick={onClose}>
          {t('history.closeDifference')}
        </Button>
      </div>
      <p className={styles['muted']}>
        {t('history.between', { first: isTurned ? other : looked, second: isTurned ? looked : other })}
      </p>
      {changes !== null && changes.length === 0 && <p>{t('history.same')}</p>}
      {changes !== null && changes.length > 0 && <ChangeTable changes={changes} label={t('history.difference')} />}
    </Card>
  );
}
