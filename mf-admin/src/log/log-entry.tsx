import { useState } from 'react';
import { formatSystemName } from '../panel/part-names.ts';
import { useFormatTime } from '../panel/use-format-time.ts';
import { useText } from '../text.ts';
import { EntryDetails, type LogEntryProps } from './entry-details.tsx';
import { formatLoggedEventName } from './logged-event-types.ts';
import styles from './log-page.module.css';

/** An entry of the moderation log. Its details are rendered only while the entry is open. */
export function LogEntry({ entry, names }: LogEntryProps) {
  const t = useText();
  const formatTime = useFormatTime('medium');
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={styles['number']}>{entry.number}</span>
          <strong>{formatLoggedEventName(t, entry.type)}</strong>
          <time dateTime={entry.at}>{formatTime(entry.at)}</time>
          <span className={styles['actor']}>
            {entry.actor.kind === 'system'
              ? formatSystemName(t, entry.actor.id)
              : (names[entry.actor.id] ?? t('table.formerMember'))}
          </span>
        </summary>
        {isOpen && <EntryDetails entry={entry} names={names} />}
      </details>
    </li>
  );
}
