import { useState } from 'react';
import type { LogEntryView } from '@alpenglow/domain/contracts';
import { useFormatTime } from '../panel/use-format-time.ts';
import { useText } from '../text.ts';
import { EntryDetails } from './entry-details.tsx';
import styles from './log-page.module.css';

/** An entry of the moderation log. Its details are rendered only while the entry is open. */
export function LogEntry({ entry }: { readonly entry: LogEntryView }) {
  const t = useText();
  const formatTime = useFormatTime('medium');
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={styles['number']}>{entry.number}</span>
          <strong>{entry.type}</strong>
          <time dateTime={entry.at}>{formatTime(entry.at)}</time>
          <span className={styles['actor']}>
            {entry.actor.kind === 'system' ? t('log.system', { name: entry.actor.id }) : entry.actor.id}
          </span>
        </summary>
        {isOpen && <EntryDetails entry={entry} />}
      </details>
    </li>
  );
}
