import { useEffect, useRef } from 'react';
import type { ChangeView } from '@alpenglow/domain/contracts';
import { Button, Card, layout, useLocale } from '@alpenglow/ui';
import type { SelectedTimes } from './api.ts';
import { ChangedIds, ChangeTable } from './change-table.tsx';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import { numberIds } from './id-numbers.ts';
import { formatTime } from './labels.ts';
import { useText } from '../text.ts';
import styles from './history.module.css';

/** Shows the differences between the state at the shown time and the state at another time. */
export function TimeComparison({
  moments: { at, and },
  difference,
  onClose,
}: {
  readonly moments: SelectedTimes;
  readonly difference: readonly ChangeView[] | null;
  readonly onClose: () => void;
}) {
  const t = useText();
  const locale = useLocale();
  const heading = useRef<HTMLHeadingElement>(null);
  const isLoaded = difference !== null;
  // The button that selects the time is far below. The focus moves to the result, so that everybody notices it.
  useEffect(() => {
    if (and === null || !isLoaded) return;
    heading.current?.scrollIntoView({ block: 'center' });
    heading.current?.focus({ preventScroll: true });
  }, [and, isLoaded]);
  if (and === null) return null;
  // The first column shows the earlier time. The values are therefore swapped if the time to compare with is earlier
  // than the shown time.
  const isReversed = at === null || and < at;
  const shown = at === null ? t('history.now') : formatTime(locale, at);
  const other = formatTime(locale, and);
  const changes =
    difference &&
    (isReversed ? difference.map(({ field, before, after }) => ({ field, before: after, after: before })) : difference);
  return (
    <Card>
      <div className={styles['sectionHead']}>
        <h2 ref={heading} tabIndex={-1}>
          {t('history.difference')}
        </h2>
        <Button size="small" variant="quiet" onClick={onClose}>
          {t('history.closeDifference')}
        </Button>
      </div>
      <p className={layout['muted']}>
        {t('history.between', { first: isReversed ? other : shown, second: isReversed ? shown : other })}
      </p>
      {changes !== null && changes.length === 0 && <p>{t('history.same')}</p>}
      {changes !== null && changes.length > 0 && <ChangeTable changes={changes} label={t('history.difference')} />}
      {changes !== null && numberIds(changes).length > 0 && (
        <TechnicalDetails>
          <ChangedIds changes={changes} />
        </TechnicalDetails>
      )}
    </Card>
  );
}
