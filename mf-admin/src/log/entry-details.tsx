import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { LogEntryView } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, messageOf, useApi } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { proofQuery } from './calls.ts';
import { useText } from './text.ts';
import styles from './log-page.module.css';

/** What an entry says, and what proves it. */
export function EntryDetails({ entry }: { readonly entry: LogEntryView }) {
  const t = useText();
  const [isProofShown, setProofShown] = useState(false);
  return (
    <div className={styles['details']}>
      <dl>
        <dt>{t('log.of')}</dt>
        <dd>
          {entry.stream} · {entry.revision}
        </dd>
        {Object.entries(entry.facts).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
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
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
    </>
  );
}

function Proof({ eventId }: { readonly eventId: string }) {
  const t = useText();
  const api = useApi();
  const proof = useQuery(proofQuery(api, eventId));
  if (proof.isPending) return <Loading height="6rem" />;
  if (proof.isError)
    return <ErrorBox message={messageOf(proof.error, t('log.failed'))} onRetry={() => void proof.refetch()} />;
  const found = proof.data.data;
  if (!found) return <p>{t('log.noProof')}</p>;
  return (
    <dl>
      <dt>{t('log.proofRoot', { day: found.root.day })}</dt>
      <dd>
        <code>{found.root.root}</code>
      </dd>
      <dt>{t('log.proofSteps', { count: found.steps.length })}</dt>
      <dd>
        <ol>
          {found.steps.map(({ side, hash }) => (
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
