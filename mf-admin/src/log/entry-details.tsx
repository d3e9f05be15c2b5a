import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { LogEntryView, ResponseOf } from '@alpenglow/domain/contracts';
import { Button, QueryView, useApi } from '@alpenglow/ui';
import { AccountName } from '../panel/account-name.tsx';
import { formatSystemName } from '../panel/part-names.ts';
import { proofQuery } from './api.ts';
import { Fact, isReadable } from './fact.tsx';
import { useText } from '../text.ts';
import styles from './log-page.module.css';

export interface LogEntryProps {
  readonly entry: LogEntryView;
  /** Display names by account id. */
  readonly names: Readonly<Record<string, string>>;
}

/**
 * Shows the data of an entry in the moderation log in words, with links. The stored data and the hashes are in a part
 * that is closed at first, with a button for the proof that the entry was not changed.
 */
export function EntryDetails({ entry, names }: LogEntryProps) {
  const t = useText();
  const [isProofShown, setProofShown] = useState(false);
  const facts = Object.entries(entry.facts).filter(([name, value]) => isReadable(name, value));
  return (
    <div className={styles['details']}>
      <dl>
        <dt>{t('log.actor')}</dt>
        <dd>
          {entry.actor.kind === 'system' ? (
            formatSystemName(t, entry.actor.id)
          ) : (
            <AccountName id={entry.actor.id} names={names} />
          )}
        </dd>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name} value={value} names={names} />
        ))}
      </dl>
      <details className={styles['technical']}>
        <summary>{t('history.technical')}</summary>
        <dl>
          <dt>{t('log.type')}</dt>
          <dd>{entry.type}</dd>
          <dt>{t('log.actor')}</dt>
          <dd>{entry.actor.id}</dd>
          <dt>{t('log.of')}</dt>
          <dd>
            {entry.stream} · {entry.revision}
          </dd>
          {Object.entries(entry.facts).map(([name, value]) => (
            <StoredFact key={name} name={name} value={value} />
          ))}
          <dt>{t('log.hash')}</dt>
          <dd>
            <code>{entry.hash}</code>
          </dd>
          <dt>{t('log.dataHash')}</dt>
          <dd>
            <code>{entry.dataHash}</code>
          </dd>
        </dl>
        {isProofShown ? (
          <Proof eventId={entry.eventId} />
        ) : (
          <Button onClick={() => setProofShown(true)}>{t('log.showProof')}</Button>
        )}
      </details>
    </div>
  );
}

function StoredFact({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
    </>
  );
}

function Proof({ eventId }: { readonly eventId: string }) {
  const t = useText();
  const proof = useQuery(proofQuery(useApi(), eventId));
  return (
    <QueryView query={proof} failedText={t('log.failed')} loadingHeight="6rem">
      {({ data }) => (data ? <ProofSteps proof={data} /> : <p>{t('log.noProof')}</p>)}
    </QueryView>
  );
}

function ProofSteps({ proof: { root, steps } }: { readonly proof: NonNullable<ResponseOf<'getLogProof'>['data']> }) {
  const t = useText();
  return (
    <dl>
      <dt>{t('log.proofRoot', { day: root.day })}</dt>
      <dd>
        <code>{root.root}</code>
      </dd>
      <dt>{t('log.proofSteps', { count: steps.length })}</dt>
      <dd>
        <ol>
          {steps.map(({ side, hash }) => (
            <li key={hash}>
              <code>
                {side} {hash}
              </code>
            </li>
          ))}
        </ol>
      </dd>
    </dl>
  );
}
