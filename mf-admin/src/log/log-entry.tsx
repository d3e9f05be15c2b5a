import { useState } from 'react';
import { OUTCOMES, type ResponseOf } from '@alpenglow/domain/contracts';
import { OutcomeBadge, useFormatCaseTitle } from '../moderation/case-labels.tsx';
import { formatSystemName } from '../panel/part-names.ts';
import { useFormatTime } from '../panel/use-format-time.ts';
import { useText } from '../text.ts';
import { EntryDetails, type LogEntryProps } from './entry-details.tsx';
import { formatLoggedEventName } from './logged-event-types.ts';
import styles from './log-page.module.css';

interface LoggedSubjectProps {
  /** The content that the entry is about. Undefined if it is about something else. */
  readonly subject: ResponseOf<'listLogEntries'>['subjects'][string] | undefined;
}

/** An entry of the moderation log. Its details are rendered only while the entry is open. */
export function LogEntry({ entry, names, subject }: LogEntryProps & LoggedSubjectProps) {
  const t = useText();
  const formatTime = useFormatTime('medium');
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={styles['number']}>{entry.number}</span>
          <strong>{formatLoggedEventName(t, entry.type)}</strong>
          <LoggedSubject entry={entry} names={names} subject={subject} />
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

/** The content that an entry is about, the outcome of a decision, and the owner of the content. */
function LoggedSubject({ entry, names, subject }: LogEntryProps & LoggedSubjectProps) {
  const titleOf = useFormatCaseTitle();
  const { facts } = entry;
  const outcome = OUTCOMES.find((one) => one === facts['outcome']);
  const ownerId = facts['ownerId'] ?? facts['accountId'];
  const owner = typeof ownerId === 'string' ? names[ownerId] : undefined;
  if (subject === undefined && owner === undefined) return null;
  return (
    <span className={styles['subject']}>
      {subject && <bdi>{titleOf({ subject: { kind: subject.kind, id: '' }, title: subject.title })}</bdi>}
      {outcome && <OutcomeBadge outcome={outcome} isReversed={subject?.isReversed === true} />}
      {owner !== undefined && <bdi>{owner}</bdi>}
    </span>
  );
}
